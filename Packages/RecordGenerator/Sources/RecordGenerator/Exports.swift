@_exported import Migrations
