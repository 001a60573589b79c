CREATE TABLE "order" (
    id INTEGER PRIMARY KEY, customerID INTEGER, employeeID INTEGER, shipperID INTEGER, freight REAL NOT NULL,
    orderDate TEXT NOT NULL, requiredDate TEXT NOT NULL, shippedDate TEXT, shipName TEXT NOT NULL,
    shipAddress TEXT NOT NULL, shipCity TEXT NOT NULL, shipRegion TEXT, shipPostalCode TEXT, shipCountry TEXT NOT NULL);
CREATE TABLE track (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT, genre TEXT NOT NULL,
    year INTEGER NOT NULL, duration REAL NOT NULL, playCount INTEGER);
