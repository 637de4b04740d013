import { createServer } from 'node:http'

/** Pages that are hard to render: drawn late, endless, broken, greedy. */
const page = (title, body) =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><body style="margin:0">${body}`
const script = (title, code) => page(title, `hello<script>${code}</script>`)

const pages = {
  '/drawn': page(
    'Drawn',
    `<script>setTimeout(() => {
      document.body.innerHTML = '<h1>Only by script 你好 🎉</h1>' +
        '<div style="position:absolute;left:100px;top:200px;width:300px;height:100px;background:#ff0000"></div>'
    }, 1000)</script>`,
  ),
  '/errors': script(
    'Errors',
    "console.error('boom', 7); console.log('fine'); fetch('/missing.json'); setTimeout(() => { throw new Error('late') })",
  ),
  '/waiting': page('Waiting', 'here already<img src="/never">'),
  '/tall': page('Tall', '<div style="height:50000px;background:linear-gradient(red,blue)">top</div>'),
  '/windows': script('Windows', "for (let n = 0; n < 1000; n++) window.open('/?' + n)"),
  '/memory': script('Memory', 'const kept = []; setInterval(() => kept.push(new Uint8Array(64 << 20).fill(1)), 1)'),
  '/loop': script('Loop', "console.warn('spinning'); for (;;);"),
}

createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/never') return
  const found = pages[pathname]
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(found ?? 'nothing here')
}).listen(Number(process.env.PORT), '127.0.0.1')
