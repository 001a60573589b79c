//! The workloads of Tests/Peers/README.md with rusqlite.
use rusqlite::{params, Connection, OpenFlags, Row, Statement};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

type Result<T> = rusqlite::Result<T>;

/// 1 January 2023, in milliseconds.
const START: i64 = 1672531200000;

struct User {
    id: i64,
    created: SystemTime,
    email: String,
    active: bool,
}

struct Text {
    id: i64,
    created: SystemTime,
    parent: i64,
    text: String,
}

struct Joined {
    user: User,
    article: Option<Text>,
    comment: Option<Text>,
}

struct Order {
    id: i64,
    customer_id: Option<String>,
    employee_id: Option<i64>,
    order_date: Option<String>,
    required_date: Option<String>,
    shipped_date: Option<String>,
    ship_via: Option<i64>,
    freight: Option<f64>,
    ship_name: Option<String>,
    ship_address: Option<String>,
    ship_city: Option<String>,
    ship_region: Option<String>,
    ship_postal_code: Option<String>,
    ship_country: Option<String>,
}

fn date(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(milliseconds as u64)
}

fn milliseconds(date: SystemTime) -> i64 {
    date.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

impl User {
    fn read(row: &Row) -> Result<User> {
        Ok(User { id: row.get(0)?, created: date(row.get(1)?), email: row.get(2)?, active: row.get(3)? })
    }

    fn check(&self) -> i64 {
        self.id + milliseconds(self.created) + self.email.len() as i64 + self.active as i64
    }
}

impl Text {
    fn read(row: &Row, column: usize) -> Result<Option<Text>> {
        let id: Option<i64> = row.get(column)?;
        match id {
            None => Ok(None),
            Some(id) => Ok(Some(Text {
                id,
                created: date(row.get(column + 1)?),
                parent: row.get(column + 2)?,
                text: row.get(column + 3)?,
            })),
        }
    }

    fn check(&self) -> i64 {
        self.id + milliseconds(self.created) + self.parent + self.text.len() as i64
    }
}

impl Joined {
    fn read(row: &Row) -> Result<Joined> {
        Ok(Joined { user: User::read(row)?, article: Text::read(row, 4)?, comment: Text::read(row, 8)? })
    }

    fn check(&self) -> i64 {
        let text = |text: &Option<Text>| text.as_ref().map_or(0, Text::check);
        self.user.check() + text(&self.article) + text(&self.comment)
    }
}

impl Order {
    fn read(row: &Row) -> Result<Order> {
        Ok(Order {
            id: row.get(0)?,
            customer_id: row.get(1)?,
            employee_id: row.get(2)?,
            order_date: row.get(3)?,
            required_date: row.get(4)?,
            shipped_date: row.get(5)?,
            ship_via: row.get(6)?,
            freight: row.get(7)?,
            ship_name: row.get(8)?,
            ship_address: row.get(9)?,
            ship_city: row.get(10)?,
            ship_region: row.get(11)?,
            ship_postal_code: row.get(12)?,
            ship_country: row.get(13)?,
        })
    }

    fn check(&self) -> i64 {
        let texts = [
            &self.customer_id, &self.order_date, &self.required_date, &self.shipped_date, &self.ship_name, &self.ship_address,
            &self.ship_city, &self.ship_region, &self.ship_postal_code, &self.ship_country,
        ];
        let lengths: i64 = texts.iter().map(|text| text.as_ref().map_or(0, |text| text.len() as i64)).sum();
        let numbers = self.id + self.employee_id.unwrap_or(0) + self.ship_via.unwrap_or(0);
        numbers + (self.freight.unwrap_or(0.0) * 4.0) as i64 + lengths
    }
}

fn open(path: &str) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = 1; PRAGMA busy_timeout = 5000")?;
    Ok(db)
}

const INSERT_USER: &str = "INSERT INTO users (id, created, email, active) VALUES (?, ?, ?, ?)";
const INSERT_ARTICLE: &str = "INSERT INTO articles (id, created, userId, text) VALUES (?, ?, ?, ?)";
const INSERT_COMMENT: &str = "INSERT INTO comments (id, created, articleId, text) VALUES (?, ?, ?, ?)";

fn email(id: i64) -> String {
    format!("user{:08}@example.com", id)
}

fn insert_user(insert: &mut Statement, id: i64, email: &str) -> Result<()> {
    let user = User { id, created: date(START + id * 1000), email: email.to_string(), active: id % 2 == 1 };
    insert.execute(params![user.id, milliseconds(user.created), user.email, user.active])?;
    Ok(())
}

fn insert_text(insert: &mut Statement, id: i64, parent: i64, text: &str) -> Result<()> {
    let text = Text { id, created: date(START + id * 1000), parent, text: text.to_string() };
    insert.execute(params![text.id, milliseconds(text.created), text.parent, text.text])?;
    Ok(())
}

fn fill_users(db: &mut Connection, count: i64, bytes: usize) -> Result<()> {
    let transaction = db.transaction()?;
    {
        let mut insert = transaction.prepare(INSERT_USER)?;
        for id in 1..=count {
            let email = if bytes > 0 { "a".repeat(bytes) } else { email(id) };
            insert_user(&mut insert, id, &email)?;
        }
    }
    transaction.commit()
}

fn fetch_users(db: &Connection, times: usize) -> Result<i64> {
    let mut select = db.prepare("SELECT id, created, email, active FROM users ORDER BY id")?;
    let mut sum = 0;
    for _ in 0..times {
        let users = select.query_map([], User::read)?.collect::<Result<Vec<User>>>()?;
        sum += users.iter().map(User::check).sum::<i64>();
    }
    Ok(sum)
}

fn fill_real(db: &mut Connection) -> Result<()> {
    let (mut article, mut comment) = (0, 0);
    for user in 1..=100 {
        let transaction = db.transaction()?;
        {
            let mut users = transaction.prepare_cached(INSERT_USER)?;
            insert_user(&mut users, user, &email(user))?;
            let mut articles = transaction.prepare_cached(INSERT_ARTICLE)?;
            let mut comments = transaction.prepare_cached(INSERT_COMMENT)?;
            for _ in 0..20 {
                article += 1;
                insert_text(&mut articles, article, user, "text of the article")?;
                for _ in 0..20 {
                    comment += 1;
                    insert_text(&mut comments, comment, article, "text of the comment")?;
                }
            }
        }
        transaction.commit()?;
    }
    Ok(())
}

fn fill_texts(db: &mut Connection, sql: &str, count: i64, of_each: i64, text: &str) -> Result<()> {
    let transaction = db.transaction()?;
    {
        let mut insert = transaction.prepare(sql)?;
        for id in 1..=count {
            insert_text(&mut insert, id, (id - 1) / of_each + 1, text)?;
        }
    }
    transaction.commit()
}

fn joined(folder: &str, condition: &str) -> String {
    let select = fs::read_to_string(format!("{folder}/joined.sql")).unwrap();
    format!("{select} {condition} ORDER BY users.created, articles.created, comments.created")
}

fn fetch_joined(select: &mut Statement, parameters: impl rusqlite::Params) -> Result<i64> {
    let rows = select.query_map(parameters, Joined::read)?.collect::<Result<Vec<Joined>>>()?;
    Ok(rows.iter().map(Joined::check).sum())
}

fn timed<T>(part: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = work()?;
    println!("time {part} {}", start.elapsed().as_secs_f64() * 1e3);
    Ok(result)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let (path, folder) = (arguments[2].as_str(), arguments[3].as_str());
    let (workload, n) = arguments[1].split_once('-').unwrap_or((&arguments[1], "0"));
    let n: i64 = n.parse().unwrap();
    let mut db = open(path)?;
    println!("sqlite {}", db.query_row("SELECT sqlite_source_id()", [], |row| row.get::<_, String>(0))?);
    for name in ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "cache_size", "page_size"] {
        let value: rusqlite::types::Value = db.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))?;
        match value {
            rusqlite::types::Value::Text(text) => println!("pragma {name} {text}"),
            rusqlite::types::Value::Integer(number) => println!("pragma {name} {number}"),
            _ => {}
        }
    }
    let schema = if workload == "orders" { "orders" } else { "schema" };
    db.execute_batch(&fs::read_to_string(format!("{folder}/{schema}.sql")).unwrap())?;
    let sum = match workload {
        "simple" => {
            timed("insert", || fill_users(&mut db, 1_000_000, 0))?;
            timed("query", || fetch_users(&db, 1))?
        }
        "many" => {
            timed("insert", || fill_users(&mut db, n, 0))?;
            timed("query", || fetch_users(&db, 1000))?
        }
        "large" => {
            timed("insert", || fill_users(&mut db, 10_000, n as usize))?;
            timed("query", || fetch_users(&db, 1))?
        }
        "concurrent" => {
            db.execute_batch(&fs::read_to_string(format!("{folder}/users.sql")).unwrap())?;
            timed("query", || {
                thread::scope(|scope| {
                    let readers: Vec<_> = (0..n).map(|_| scope.spawn(|| fetch_users(&open(path)?, 1))).collect();
                    readers.into_iter().map(|reader| reader.join().unwrap()).try_fold(0i64, |sum, one| Ok(sum.wrapping_add(one?)))
                })
            })?
        }
        "real" => {
            timed("insert", || fill_real(&mut db))?;
            timed("query", || {
                let mut select = db.prepare(&joined(folder, "WHERE users.email = ?"))?;
                (1..=100).map(|id| fetch_joined(&mut select, [email(id)])).sum()
            })?
        }
        "complex" => {
            timed("insert", || {
                fill_users(&mut db, 200, 0)?;
                fill_texts(&mut db, INSERT_ARTICLE, 20_000, 100, "text of the article")?;
                fill_texts(&mut db, INSERT_COMMENT, 400_000, 20, "text of the comment")
            })?;
            timed("query", || fetch_joined(&mut db.prepare(&joined(folder, ""))?, []))?
        }
        _ => timed("query", || {
            let mut select = db.prepare("SELECT * FROM orders")?;
            let mut sum = 0;
            for _ in 0..10 {
                let orders = select.query_map([], Order::read)?.collect::<Result<Vec<Order>>>()?;
                sum += orders.iter().map(Order::check).sum::<i64>();
            }
            Ok(sum)
        })?,
    };
    println!("check {sum}");
    Ok(())
}
