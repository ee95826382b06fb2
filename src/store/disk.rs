//! Whether a run is on a disk that other machines may see. SQLite's write-ahead log needs memory
//! that all who open the database share, and machines share none (sqlite.org/wal.html): there a run
//! is written with a rollback journal, which needs nothing but locks.

use std::path::Path;

/// Numbers of file systems (`f_type` of statfs(2), from linux/magic.h and their own headers). FUSE
/// and 9P may hide any disk.
#[cfg(target_os = "linux")]
const NETWORK: [(u32, &str); 16] = [
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x00c3_6400, "Ceph"),
    (0xaad7_aaea, "PanFS"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636f, "OCFS2"),
    (0x0102_1997, "9P"),
    (0x6573_5546, "FUSE"),
    (0xbacb_acbc, "VMware's shared folders"),
];

/// The folder's kind of network disk; none for a local one, or where the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn network_disk(folder: &Path) -> Option<&'static str> {
    let found = rustix::fs::statfs(folder).ok()?;
    // The numbers have 32 bits; their type differs by architecture, and some extend the sign.
    let (_, name) = NETWORK.iter().find(|(number, _)| *number == found.f_type as u32)?;
    Some(name)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn network_disk(folder: &Path) -> Option<&'static str> {
    use std::path::{Component, Prefix};
    let folder = std::fs::canonicalize(folder).ok()?;
    match folder.components().next()? {
        Component::Prefix(prefix) => match prefix.kind() {
            Prefix::UNC(..) | Prefix::VerbatimUNC(..) => Some("SMB"),
            _ => None,
        },
        _ => None,
    }
}
