@_exported import Strata
@_exported import RecordGenerator
@_exported import DqliteCluster
