@_exported import ValueConversion
