//! The objects, one a file, and the table of all of them.

mod aeroplane;
mod apple_tree;
mod axe;
mod bed;
mod boat;
mod bookshelf;
mod bottle;
mod cactus;
mod car;
mod castle_tower;
mod cat;
mod chair;
mod cottage;
mod drum;
mod duck;
mod fish;
mod guitar;
mod hammer;
mod lighthouse;
mod locomotive;
mod lorry;
mod mug;
mod rocket;
mod saw;
mod sunflower;
mod table;
mod teapot;
mod toadstool;
mod turtle;
mod vase;
mod watering_can;
mod windmill;

use crate::Model;
use meshjudge_asset::objects::kit::Surface;
use meshjudge_asset::objects::{Family, Split};

/// A row of the table.
const fn model(
    name: &'static str,
    prompt: &'static str,
    family: Family,
    split: Split,
    surfaces: fn() -> Vec<Surface>,
) -> Model {
    Model { name, prompt, family, split, surfaces }
}

/// Family by family; the halves alternate within each.
#[rustfmt::skip]
pub(super) const ALL: &[Model] = &[
    model("vase", "a glazed vase with two handles and blue bands", Family::Vessel, Split::Fit, vase::vase),
    model("teapot", "a round teapot with a belt of flowers", Family::Vessel, Split::Held, teapot::teapot),
    model("mug", "a blue enamel mug of coffee with a lettered label", Family::Vessel, Split::Fit, mug::mug),
    model("bottle", "a green wine bottle with a label and a cork", Family::Vessel, Split::Held, bottle::bottle),
    model("chair", "a wooden chair with a spindle back", Family::Furniture, Split::Fit, chair::chair),
    model("table", "a farm table with two drawers, a red runner and a bowl of apples", Family::Furniture, Split::Held, table::table),
    model("bookshelf", "a bookshelf with books, a globe and a clock", Family::Furniture, Split::Fit, bookshelf::bookshelf),
    model("bed", "a wooden bed with two pillows and a patchwork quilt", Family::Furniture, Split::Held, bed::bed),
    model("boat", "a small sailing boat with striped sails", Family::Vehicle, Split::Fit, boat::boat),
    model("rocket", "a toy rocket with four orange fins", Family::Vehicle, Split::Held, rocket::rocket),
    model("car", "a small red car with a white roof", Family::Vehicle, Split::Fit, car::car),
    model("locomotive", "a green toy steam engine with red wheels", Family::Vehicle, Split::Held, locomotive::locomotive),
    model("aeroplane", "a yellow propeller aeroplane with blue stripes", Family::Vehicle, Split::Fit, aeroplane::aeroplane),
    model("lorry", "a blue delivery lorry with a lettered box", Family::Vehicle, Split::Held, lorry::lorry),
    model("cactus", "a cactus with two arms in a painted clay pot", Family::Plant, Split::Fit, cactus::cactus),
    model("toadstool", "a red toadstool with white spots and a small one at its foot", Family::Plant, Split::Held, toadstool::toadstool),
    model("apple_tree", "an apple tree with a birdhouse on its trunk", Family::Plant, Split::Fit, apple_tree::apple_tree),
    model("sunflower", "a sunflower in a blue striped pot", Family::Plant, Split::Held, sunflower::sunflower),
    model("lighthouse", "a red and white lighthouse on a rock", Family::Building, Split::Fit, lighthouse::lighthouse),
    model("cottage", "a cottage with timbered gables and a tiled roof", Family::Building, Split::Held, cottage::cottage),
    model("windmill", "a white windmill with red sails", Family::Building, Split::Fit, windmill::windmill),
    model("castle_tower", "a round castle tower with a flag and a coat of arms", Family::Building, Split::Held, castle_tower::castle_tower),
    model("fish", "an orange tropical fish with white bands", Family::Animal, Split::Fit, fish::fish),
    model("duck", "a yellow bath duck with an orange bill", Family::Animal, Split::Held, duck::duck),
    model("turtle", "a tortoise with a domed shell", Family::Animal, Split::Fit, turtle::turtle),
    model("cat", "a sitting ginger cat with a red collar and a bell", Family::Animal, Split::Held, cat::cat),
    model("hammer", "a claw hammer with a red grip", Family::Tool, Split::Fit, hammer::hammer),
    model("axe", "a felling axe with a red head", Family::Tool, Split::Held, axe::axe),
    model("saw", "a hand saw with a beech handle", Family::Tool, Split::Fit, saw::saw),
    model("watering_can", "a green watering can with a painted daisy", Family::Tool, Split::Held, watering_can::watering_can),
    model("guitar", "an acoustic guitar", Family::Instrument, Split::Fit, guitar::guitar),
    model("drum", "a red marching drum with two sticks", Family::Instrument, Split::Held, drum::drum),
];
