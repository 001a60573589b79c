/// All layers of Strata under one name: `import Strata` is enough for everything.
///
/// There is nothing else here. Each layer can be imported alone, and brings those below it.
@_exported import CodableSupport
