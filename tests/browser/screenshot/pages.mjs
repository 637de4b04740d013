import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { deflateSync } from 'node:zlib'

/**
 * Eight pages whose screenshots are compared with the browser’s own. All are full of content, so that a nearly empty
 * image cannot match them.
 */
const cards = (count, tone = 0) =>
  Array.from({ length: count }, (_, index) => {
    const hue = (index * 47 + tone) % 360
    return `<article style="background:hsl(${hue} 55% 42%)"><h2>Station ${index + 1}</h2>
      <p>${4599 - index * 37} trips, busiest at ${(index * 5) % 24}:00</p>
      <div class="bar" style="width:${20 + ((index * 29) % 75)}%"></div></article>`
  }).join('')
const style = `
  *{box-sizing:border-box}
  body{margin:0;font:16px/1.5 'DejaVu Sans',sans-serif;color:#111;background:#fff}
  main{padding:16px}h1{font-size:24px;margin:0 0 12px}
  .grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px}
  article{border-radius:10px;padding:12px;color:#fff;border:2px solid #0003}
  article h2{font-size:17px;margin:0}article p{margin:4px 0 8px;font-size:13px}
  .bar{height:10px;background:#fffc;border-radius:5px}`
const page = (body, more = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title>
  <meta name="viewport" content="width=device-width"><style>${style}</style>${more}</head><body><main>${body}</main></body></html>`

/** An image that no encoder compresses: bands and squares in many colors. */
function bandsImage(width, height) {
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3
      const square = (Math.floor(x / 16) + Math.floor(y / 16)) % 2
      rows.set([(x * 255) / width, (y * 255) / height, square * 160 + 40].map(Math.floor), at)
    }
  }
  const chunk = (type, data) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(data.length)
    head.write(type, 4, 'latin1')
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc(Buffer.concat([head.subarray(4), data])))
    return Buffer.concat([head, data, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc(bytes) {
  let sum = ~0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

const drawing = `
  const context = document.querySelector('canvas').getContext('2d')
  const sky = context.createLinearGradient(0, 0, 0, 360)
  sky.addColorStop(0, '#123c69'); sky.addColorStop(1, '#ac3b61')
  context.fillStyle = sky; context.fillRect(0, 0, 560, 360)
  for (let index = 0; index < 24; index += 1) {
    context.fillStyle = 'hsl(' + index * 15 + ' 70% 55%)'
    context.fillRect(12 + index * 22, 340 - index * 11, 16, index * 11 + 8)
  }
  context.beginPath(); context.arc(430, 110, 60, 0, 7); context.fillStyle = '#fbeec1'; context.fill()`
const shading = `
  const gl = document.querySelector('canvas').getContext('webgl')
  const shader = (kind, text) => { const made = gl.createShader(kind); gl.shaderSource(made, text); gl.compileShader(made); return made }
  const program = gl.createProgram()
  gl.attachShader(program, shader(gl.VERTEX_SHADER, 'attribute vec2 at; varying vec2 place; void main() { place = at * .5 + .5; gl_Position = vec4(at, 0, 1); }'))
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, 'precision mediump float; varying vec2 place; void main() { gl_FragColor = vec4(place, step(.5, fract(place.x * 6.)), 1); }'))
  gl.linkProgram(program); gl.useProgram(program)
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer())
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW)
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0)
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4)
  document.title = gl.getContextAttributes().preserveDrawingBuffer ? 'kept' : 'not kept'`
const canvas = '<h1>Canvas</h1><canvas width="560" height="360"></canvas>'

const foreign = `
  const at = (element, left, top) => {
    element.style.cssText = 'position:absolute;width:110px;height:90px;border:0;left:' + left + 'px;top:' + top + 'px'
    document.body.append(element)
    return element
  }
  const image = async (src) => { const made = Object.assign(new Image(), { src }); await made.decode(); return made }
  /** Shows content that a script can read in a first row, and content that it can’t in a second one. */
  window.showForeign = async (origin) => {
    at(Object.assign(new Image(), { crossOrigin: 'anonymous', src: origin + '/open.png' }), 20, 180)
    at(Object.assign(document.createElement('iframe'), { srcdoc: '<h1>Own</h1>' }), 150, 180)
    at(await image(origin + '/closed.png'), 20, 300)
    const frame = document.createElement('iframe')
    frame.sandbox = 'allow-scripts'
    at(Object.assign(frame, { srcdoc: '<h1>Other</h1>' }), 150, 300)
    const canvas = at(document.createElement('canvas'), 280, 300)
    canvas.getContext('2d').drawImage(await image(origin + '/closed.png'), 0, 0, 110, 90)
  }`
const nested = `
  window.told = 0
  setInterval(() => {
    for (const target of [top, parent]) {
      for (let times = 0; times < 40; times += 1) {
        const id = String(times)
        target.postMessage({ threadbox: 'page', path: '/stolen', title: 'Stolen', isNew: true, isLocked: true }, '*')
        target.postMessage({ threadbox: 'picked', id, region: { x: 0, y: 0, width: 9, height: 9 } }, '*')
        target.postMessage({ threadbox: 'failed', id, message: 'No.' }, '*')
        target.postMessage({ threadbox: 'capture', id, region: { x: 0, y: 0, width: 9, height: 9 }, scale: 1 }, '*')
        told += 1
      }
    }
  }, 20)`

const pages = {
  '/': page('<h1>Pages</h1>'),
  '/plain': page(`<h1>Plain</h1><div class="grid">${cards(24)}</div>`),
  '/scrolled': page(
    `<h1>Scrolled</h1><div class="grid">${cards(120, 90)}</div><footer style="position:fixed;right:12px;bottom:12px;padding:10px;background:#222;color:#fff">Fixed</footer>
     <script>addEventListener('load', () => scrollTo(0, 700))</script>`,
  ),
  '/images': page(
    `<h1>Images</h1><img src="/picture.png" width="300" height="180" alt="Bands">
     <img src="/picture.png" style="width:160px;height:180px;object-fit:cover;border-radius:24px" alt="Part">
     <div style="height:170px;background:url(/picture.png) 0 0/120px 90px repeat"></div>`,
  ),
  '/font': page(
    `<h1 style="font:600 40px/1.2 Own">Web font</h1><div class="grid" style="font-family:Own">${cards(24, 200)}</div>`,
    `<style>@font-face{font-family:Own;src:url(/font.woff2);font-weight:100 900}body{font-family:Own}</style>`,
  ),
  '/canvas': page(`${canvas}<script>${drawing}</script>`),
  '/webgl': page(`${canvas}<script>${shading}</script>`),
  '/strict': page(
    `<h1>Strict</h1><img src="/picture.png" width="300" height="150" alt=""><div class="grid">${cards(12, 20).replaceAll(/ style="[^"]*"/g, ' class="tone"')}</div>`,
    '<link rel="stylesheet" href="/style.css">',
  ).replace(`<style>${style}</style>`, ''),
  '/meta-strict': page(
    '<h1>Strict by itself</h1><img src="/picture.png" width="500" height="300" alt="">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src 'self'"><link rel="stylesheet" href="/style.css">`,
  ).replace(`<style>${style}</style>`, ''),
  '/console': page(
    `<h1>Console</h1><button id="one" style="width:200px;height:60px">One button</button>
     <button onclick="history.pushState(null, '', '/pushed?a=1')">Push</button>
     <script>console.log('said %s', 'hello', { deep: [1, 2] }); console.warn('be careful'); console.error('KeyError: wind_speed'); setTimeout(() => { throw new Error('not caught') })</script>`,
  ),
  '/hostile': page('<h1>Hostile</h1><script src="/hostile.js"></script>'),
  '/elsewhere': page(`<h1>Elsewhere</h1><script>${foreign}</script>`),
  '/trusted': page('<h1>Trusted types</h1>'),
  '/framed': page(
    `<h1>Framed</h1><iframe src="/nested" title="Same origin"></iframe><iframe sandbox="allow-scripts" title="None" srcdoc="<script>${nested.replaceAll('"', '&quot;')}</script>"></iframe>`,
  ),
  '/nested': page(`<p>Nested</p><script>${nested}</script>`),
  '/width': page(`<h1>Device width</h1><div class="grid">${cards(24, 140)}</div>`),
}
const files = {
  '/picture.png': ['image/png', bandsImage(320, 200)],
  '/font.woff2': ['font/woff2', readFileSync(new URL('font.woff2', import.meta.url))],
  '/hostile.js': ['text/javascript', readFileSync(new URL('hostile.js', import.meta.url))],
  '/style.css': ['text/css', `${style}.tone{background:#0b6e4f;width:100%}`],
}

const policies = { '/strict': "default-src 'self'", '/trusted': "require-trusted-types-for 'script'" }

createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://pages')
  const file = files[pathname]
  if (file !== undefined) return response.writeHead(200, { 'content-type': file[0] }).end(file[1])
  const html = pages[pathname]
  if (html === undefined) return response.writeHead(404).end()
  const policy = policies[pathname]
  const headers = policy === undefined ? {} : { 'content-security-policy': policy }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html)
}).listen(Number(process.env.PORT ?? 8000))
