//! Files that are written whole or not at all, and folders that one program at a time writes to.
//!
//! Every file of the workspace is written here: under another name in its folder, synced, then renamed. Links are
//! followed, a replaced file's mode is kept, and anything but a regular file (a pipe, a device) is written to directly.

mod folder;
mod limited;
mod lock;
mod place;
mod whole;

pub use folder::{copy_whole, create_folders, create_new_folder, folder_of, remove_if_there, sweep, sync_folder};
pub use limited::{check_regular, is_special, read_limited, read_regular, read_text};
pub use lock::{FolderLock, LockError, leads_to, open_own, try_lock};
pub use whole::{WholeFile, temporary_in, write_whole};
