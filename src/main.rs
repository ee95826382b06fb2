//! The `meshjudge` program: passes its arguments to the library's CLI and exits with its code.

mod huge_pages;
mod memory;

#[global_allocator]
static MEMORY: memory::Memory = memory::Memory;

fn main() -> std::process::ExitCode {
    // A layer of Mesa's asks the desktop which card it prefers, and complains on the terminal where
    // there is none. Which card draws is our choice.
    #[cfg(target_os = "linux")]
    if std::env::var_os("NODEVICE_SELECT").is_none() {
        // SAFETY: this is the only thread yet.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
    meshjudge::command_line()
}
