//! The `meshjudge` program: hands the arguments to [`meshjudge::cli`] and exits with its code.

fn main() -> std::process::ExitCode {
    meshjudge::cli::main()
}
