export const counterFile = '/home/user/counter.py'
export const counterPort = 8000
/** The message that starts it, as you would write it. */
export const counterMessage = `/serve ${counterPort} python3 counter.py`

/** Texts of the counter’s page. */
export type CounterWords = { title: string; since: string }

/**
 * A service that counts seconds in memory only: as long as the number advances, it is the same process. Its page polls
 * it automatically, which neither wakes a sandbox nor keeps it awake.
 */
export function counterProgram(words: CounterWords): string {
  return `import http.server, json, os, threading, time

count = 0
started = time.strftime('%H:%M:%S')

def tick():
    global count
    while True:
        time.sleep(1)
        count += 1
        print(f'count {count} process {os.getpid()}', flush=True)

threading.Thread(target=tick, daemon=True).start()
page = ${pythonText(pageOf(words))}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        is_page = self.path == '/'
        facts = json.dumps({'count': count, 'process': os.getpid(), 'started': started})
        body = (page if is_page else facts).encode()
        self.send_response(200)
        self.send_header('content-type', 'text/html; charset=utf-8' if is_page else 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *ignored):
        pass

http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
`
}

/** The last count in the counter’s log, and the process that printed it. */
export type Count = { count: number; process: number }
export function lastCountIn(log: string): Count | undefined {
  const last = [...log.matchAll(/^count (\d+) process (\d+)$/gm)].at(-1)
  return last === undefined ? undefined : { count: Number(last[1]), process: Number(last[2]) }
}

function pageOf({ title, since }: CounterWords): string {
  return `<!doctype html><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;background:Canvas;color:CanvasText}
h1{font-size:1rem;font-weight:500;margin:0}#count{font-size:6rem;line-height:1.1;font-weight:600;font-variant-numeric:tabular-nums}
p{margin:0;opacity:.75}</style>
<h1>${title}</h1><div id="count" role="timer">0</div><p id="since"></p>
<script>
const since = ${JSON.stringify(since).replaceAll('<', '\\u003c')}
const look = async () => {
  try {
    const facts = await (await fetch('/count')).json()
    document.querySelector('#count').textContent = facts.count
    document.querySelector('#since').textContent = since.replace('$process', facts.process).replace('$time', facts.started)
  } catch {}
  setTimeout(look, 1000)
}
look()
</script>`
}

/** A text as a Python literal: JSON escapes are valid in Python. */
function pythonText(text: string): string {
  return JSON.stringify(text)
}
