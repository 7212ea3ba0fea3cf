//! Replaces rayon: the same work on threads whose order shuttle chooses.

const THREADS: usize = 3;

/// The context of a thread.
pub struct Context(usize);

impl Context {
    /// Returns the number of the thread.
    pub fn index(&self) -> usize {
        self.0
    }
}

/// Does work on every thread, as `rayon::broadcast` does.
pub fn broadcast<T: Send>(work: impl Fn(Context) -> T + Sync) -> Vec<T> {
    let results = shuttle::sync::Mutex::new(Vec::new());
    shuttle::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (work, results) = (&work, &results);
            scope.spawn(move || {
                let result = work(Context(thread));
                results.lock().unwrap().push(result);
            });
        }
    });
    results.into_inner().unwrap()
}
