@_exported import RowDecoding
