/// All layers of Strata in one module: `import Strata` imports everything.
///
/// The module itself declares nothing. Each layer can also be imported alone, and re-exports the layers below it.
@_exported import CodableSupport
@_exported import Migrations
@_exported import DatabaseObservation
@_exported import Dumps
@_exported import FullTextSearch
@_exported import DatabaseFiles
