CREATE TABLE orders (
    id INTEGER PRIMARY KEY NOT NULL, customerId TEXT, employeeId INTEGER, orderDate TEXT, requiredDate TEXT, shippedDate TEXT, shipVia INTEGER,
    freight REAL, shipName TEXT, shipAddress TEXT, shipCity TEXT, shipRegion TEXT, shipPostalCode TEXT, shipCountry TEXT);
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 16000)
INSERT INTO orders
SELECT n, printf('CUST%d', n % 91), n % 9 + 1, printf('%d-%02d-%02d', 2012 + n % 12, n % 12 + 1, n % 28 + 1),
    printf('%d-%02d-%02d', 2013 + n % 12, n % 12 + 1, n % 28 + 1),
    CASE WHEN n % 10 THEN printf('%d-%02d-%02d', 2012 + n % 12, n % 12 + 1, n % 27 + 2) END, n % 3 + 1, n % 1000 + 0.25,
    printf('Delivery to customer %d', n % 91), printf('%d Long Street of a Town', n % 200), printf('Town %d', n % 69),
    CASE WHEN n % 3 THEN printf('Region %d', n % 9) END, printf('%05d', n * 7 % 100000), printf('Country %d', n % 21)
FROM number;
