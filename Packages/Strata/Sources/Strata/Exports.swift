/// All layers of Strata in one module: `import Strata` imports everything.
///
/// The module itself only adds what needs layers that don't know each other. Each layer can also be imported alone, and re-exports those
/// below it.
@_exported import CodableSupport
@_exported import Migrations
@_exported import DatabaseObservation
@_exported import Dumps
@_exported import FullTextSearch
