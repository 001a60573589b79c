WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000000)
INSERT INTO users SELECT n, 1672531200000 + n * 1000, printf('user%08d@example.com', n), n % 2 FROM number;
