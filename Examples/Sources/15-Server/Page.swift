/// The page that the server gives to browsers: the latest notes, which follow the database, a form, and a search.
let page = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Notes</title>
    <style>
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
        body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
        form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
        input { font: inherit; padding: .3rem .5rem; min-width: 0; }
        input[name=text], input[type=search] { flex: 1 1 12rem; }
        button { font: inherit; }
        li { margin: .3rem 0; overflow-wrap: anywhere; }
        small { opacity: .7; }
    </style>
    <h1>Notes</h1>
    <form id="add">
        <input name="author" placeholder="Author" required size="12">
        <input name="text" placeholder="Note" required>
        <button>Add</button>
    </form>
    <input id="search" type="search" placeholder="Search" style="width: 100%; box-sizing: border-box">
    <ul id="list"></ul>
    <script>
        const list = document.getElementById("list"), search = document.getElementById("search")
        let latest = []
        function show(notes) {
            list.replaceChildren(...notes.map(([note, text]) => {
                const item = document.createElement("li"), author = document.createElement("small")
                author.textContent = " – " + note.author
                item.append(text, author)
                return item
            }))
        }
        function showLatest() { if (!search.value) show(latest.map(note => [note, note.text])) }
        new EventSource("/events").onmessage = event => { latest = JSON.parse(event.data); showLatest() }
        search.oninput = async () => {
            const words = search.value
            if (!words) return showLatest()
            const found = await (await fetch("/search?q=" + encodeURIComponent(words))).json()
            if (search.value == words) show(found.map(({note, snippet}) => [note, snippet]))
        }
        document.getElementById("add").onsubmit = async event => {
            event.preventDefault()
            const form = event.target
            const note = { author: form.author.value, text: form.text.value }
            const response = await fetch("/notes", { method: "POST", body: JSON.stringify(note) })
            if (response.ok) form.text.value = ""; else alert((await response.json()).error)
        }
    </script>
    </html>
    """
