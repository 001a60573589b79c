@_exported import QueryInterface
