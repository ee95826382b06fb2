//! Packs the library's objects, which would be a tenth of the program otherwise.

use flate2::{Compression, write::GzEncoder};
use std::error::Error;
use std::path::Path;
use std::{env, fs, io::Write as _};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("assets/objects");
    println!("cargo::rerun-if-changed={}", folder.display());
    let packed_folder = env::var_os("OUT_DIR").ok_or("Cargo names a folder")?;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().into_string().map_err(|_| "a name that is not text")?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(folder.join(&name))?)?;
        fs::write(Path::new(&packed_folder).join(format!("{name}.gz")), packed.finish()?)?;
    }
    Ok(())
}
