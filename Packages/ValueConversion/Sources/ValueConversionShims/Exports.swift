// Stands between the layer and its C target, as SQLiteShims does between the driver and CSQLiteShims.
@_exported import CValueConversion
