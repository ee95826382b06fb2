//! A benchmark whose assets are made, drawn and composed elsewhere is that of one machine: the same
//! rows, the same pictures.

use crate::support::assets::{Folder, tetrahedra};
use meshjudge::unstable::ask::{AskSettings, ComposedPictures, Progress};
use meshjudge::unstable::bench::{
    BenchFile, Cluster, Job, JobDone, Node, NodeSetup, Observer, Plan, open_run, run,
};
use meshjudge::unstable::judge::Judge;
use meshjudge::unstable::store::Record;
use std::collections::{BTreeSet, VecDeque};

use std::path::PathBuf;
use std::time::Duration;

/// One other machine, in this process.
struct OneNode {
    node: Node,
    jobs: VecDeque<(u64, Job)>,
    /// Draw jobs that came, with their tasks.
    num_tasks: Vec<usize>,
}

impl Cluster for OneNode {
    fn draw_jobs(&self) -> usize {
        2
    }

    fn submit(&mut self, id: u64, job: &Job) -> Result<(), String> {
        self.jobs.push_back((id, job.clone()));
        Ok(())
    }

    /// The newest job first: results may come in any order.
    fn next(&mut self, _: Duration) -> Result<Option<(u64, JobDone)>, String> {
        let Some((id, job)) = self.jobs.pop_back() else {
            return Ok(None);
        };
        Ok(Some(match job {
            Job::Make { slot, .. } => {
                let (result, seconds) = self.node.make(slot, None);
                (id, JobDone::Made { result, seconds })
            }
            Job::Draw { tasks, .. } => {
                self.num_tasks.push(tasks.len());
                let mut looks = Vec::new();
                let mut pictures = Vec::new();
                for task in &tasks {
                    let found: Vec<_> =
                        task.slots.iter().map(|&slot| self.node.look(slot, task.rubric)).collect();
                    let is_whole = found.iter().all(|look| matches!(look.drawn, Some(Ok(_))));
                    looks.extend(found);
                    let composed = is_whole.then(|| self.node.compose(task.rubric, &task.slots));
                    pictures.push(composed.map(|composed| composed.unwrap().to_bytes()));
                }
                (id, JobDone::Drawn { looks, pictures })
            }
        }))
    }
}

struct Nobody;

impl Observer for Nobody {
    fn progress(&self, _: &Progress, _: usize, _: usize) {}
    fn warn(&self, _: &str) {}
    fn note(&self, _: &str) {}
}

/// Ready assets against made ones; one cannot be made, one cannot be read.
fn place() -> Folder {
    let place = tetrahedra(&[("one.obj", 1.0), ("two.obj", 1.3), ("other.obj", 0.7)]);
    place.write("three.obj", "f 1 2 3");
    place.write("gen.sh", "test $2 != two && cp other.obj \"$1\"");
    let file = "name = \"t\"\nprompts = [{ id = \"one\", text = \"a\" }, { id = \"two\", text = \"b\" }, { id = \"three\", text = \"c\" }]\n\
        rubrics = [\"pairwise\", { name = \"category\", category = \"single_object\" }]\n\
        [[generators]]\nname = \"ready\"\npath = \"{prompt_id}.obj\"\n\
        [[generators]]\nname = \"other\"\npath = \"other.obj\"\n\
        [[generators]]\nname = \"made\"\ncommand = \"sh gen.sh {out} {prompt_id}\"\nextension = \"obj\"\nretries = 0\n\
        [pictures]\nsize_px = 32\nviews = 1\n";
    place.write("bench.toml", file);
    place
}

/// What a run holds, as far as it does not depend on where and when: rows, assets that failed,
/// pictures; and the tasks of each job.
fn ran(
    place: &Folder,
    name: &str,
    is_elsewhere: bool,
) -> (BTreeSet<String>, Vec<String>, Vec<usize>) {
    let folder = place.join(name);
    let (path, file, plan) = plan(place);
    let judges = [Judge::Probe];
    let store = open_run(&folder, &file, &plan, &path, None, &[]).unwrap();
    let setup = NodeSetup::new(&file, &path, &plan, &folder, &judges).unwrap();
    let mut cluster = OneNode {
        node: Node::open(&serde_json::to_string(&setup).unwrap()).unwrap(),
        jobs: VecDeque::new(),
        num_tasks: Vec::new(),
    };
    let elsewhere = is_elsewhere.then_some(&mut cluster as &mut dyn Cluster);
    let settings = AskSettings::default();
    let (store, summary) = run(&plan, &judges, &settings, store, &Nobody, elsewhere).unwrap();
    let mut rows = BTreeSet::from([format!("{} verdicts, {:?}", summary.verdicts, summary.failed)]);
    store
        .records(|record: Record| {
            let sides = (record.a.hash.clone(), record.b.as_ref().map(|b| b.hash.clone()));
            let (rubric, order, verdict) = (&record.rubric, &record.order, record.verdict());
            rows.insert(format!("{rubric} {order:?} {sides:?} {verdict:?}"));
            Ok(())
        })
        .unwrap();
    for made in store.made().unwrap() {
        let failure = format!("{:?}", made.failure).replace(&folder.display().to_string(), "RUN");
        rows.insert(format!("{} {} {failure} {:?}", made.method, made.prompt_id, made.hash));
    }
    (rows, place.names(&format!("{name}/sheets")), cluster.num_tasks)
}

/// The path of the benchmark file, its content and its plan.
fn plan(place: &Folder) -> (PathBuf, BenchFile, Plan) {
    let path = place.join("bench.toml");
    let file = BenchFile::open(&path).unwrap();
    let plan = Plan::new(&file, &path).unwrap();
    (path, file, plan)
}

#[test]
#[cfg(unix)]
fn work_that_is_done_elsewhere_gives_the_same_rows_and_pictures() {
    let place = place();
    let here = ran(&place, "here", false);
    let there = ran(&place, "there", true);
    assert!(here.0.len() > 15, "{here:?}");
    assert!(!here.1.is_empty());
    assert_eq!((&here.0, &here.1), (&there.0, &there.1));
    assert!(here.2.is_empty());
    // Questions about the same assets are one job: more than half of the questions came together.
    assert!(there.2.iter().any(|tasks| *tasks > 1), "{:?}", there.2);
    // Nothing is asked or made twice.
    let again = ran(&place, "there", true);
    let rows = |rows: &BTreeSet<String>| {
        rows.iter().filter(|row| !row.contains(" verdicts, ")).cloned().collect::<Vec<_>>()
    };
    assert_eq!((rows(&again.0), again.1), (rows(&here.0), here.1));
}

#[test]
fn a_machine_that_reads_another_benchmark_says_so() {
    let place = place();
    let (path, file, plan) = plan(&place);
    let mut setup = NodeSetup::new(&file, &path, &plan, &place, &[Judge::Probe]).unwrap();
    setup.fingerprint = "another".to_owned();
    let error = Node::open(&serde_json::to_string(&setup).unwrap()).unwrap_err();
    assert!(error.to_string().contains("is the disk shared"), "{error}");
}

#[test]
fn pictures_that_were_cut_off_are_none() {
    assert_eq!(ComposedPictures::from_bytes(b""), None);
    assert_eq!(ComposedPictures::from_bytes(b"\xff\0\0\0{}"), None);
    let none = ComposedPictures::default();
    assert_eq!(ComposedPictures::from_bytes(&none.to_bytes()), Some(none.clone()));
    let mut longer = none.to_bytes();
    longer.push(0);
    assert_eq!(ComposedPictures::from_bytes(&longer), None);
}

#[test]
fn the_program_alone_says_what_a_cluster_needs() {
    let place = place();
    place.write("bench.toml", format!("engine = \"ray\"\n{}", place.read("bench.toml")));
    place.run("bench bench.toml").fails(["pip install '.[ray]'", "python -m meshjudge bench"]);
}
