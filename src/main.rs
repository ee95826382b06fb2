//! The `meshjudge` program: hands the arguments to [`meshjudge::cli`] and exits with its code.

mod huge_pages;

#[global_allocator]
static MEMORY: huge_pages::HugePages = huge_pages::HugePages;

fn main() -> std::process::ExitCode {
    meshjudge::cli::main()
}
