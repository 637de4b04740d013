/** What a page in the preview can try against the app that frames it. Each attack returns its outcome. */
const outcomeOf = async (attempt) => {
  try {
    return `done ${String(await attempt())}`
  } catch (error) {
    return error.name
  }
}
const loaded = (element) =>
  new Promise((resolve) => {
    element.onload = () => resolve('loaded')
    element.onerror = () => resolve('refused')
    document.body.append(element)
  })

window.attacks = {
  ownCookies: async () => [document.cookie, await (await fetch('/cookies')).text()],
  readDocument: () => outcomeOf(() => parent.document.body),
  readAddress: () => outcomeOf(() => parent.location.href),
  readStorage: () => outcomeOf(() => parent.localStorage.length),
  readVariable: () => outcomeOf(() => parent.someVariable),
  readApi: async (origin) => {
    const url = `${origin}/api/v1/me`
    return [
      await outcomeOf(() => fetch(url, { credentials: 'include' })),
      await outcomeOf(() => fetch(url, { credentials: 'include', mode: 'no-cors' })),
      await loaded(Object.assign(document.createElement('script'), { src: url })),
    ]
  },
  frameApp: (origin) => {
    document.body.append(Object.assign(document.createElement('iframe'), { name: 'stolen', src: `${origin}/` }))
  },
  /** Each method, with and without the session, with headers that claim another sender; what is read of a response. */
  sendEverything: async ({ origin, paths }) => {
    const json = { 'content-type': 'application/json' }
    const forged = {
      origin,
      referer: `${origin}/`,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-host': new URL(origin).host,
      'x-http-method-override': 'DELETE',
    }
    const outcomes = {}
    const send = async (path, init) => {
      const outcome = await outcomeOf(async () => {
        const { type, status } = await fetch(`${origin}${path}`, init)
        return `${type} ${status}`
      })
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
    for (const path of paths) {
      for (const credentials of ['include', 'omit']) {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const body = method === 'GET' || method === 'HEAD' ? {} : { body: '{}' }
          for (const headers of [{}, json, { ...json, ...forged }]) {
            await send(path, { method, credentials, headers, ...body })
          }
          if (/GET|HEAD|POST/.test(method)) await send(path, { method, credentials, mode: 'no-cors', ...body })
        }
        navigator.sendBeacon(`${origin}${path}`, new Blob(['{}'], { type: 'text/plain' }))
      }
    }
    return outcomes
  },
  openApp: (origin) => {
    document.querySelector('#go').onclick = () => {
      window.opened = window.open(`${origin}/`, 'opened')
    }
  },
  openedApp: () => String(window.opened),
  /** A passkey of these hosts: created, or signed with. */
  usePasskeys: async (hosts) => {
    const challenge = new Uint8Array(32)
    const user = { id: new Uint8Array(16), name: 'ada', displayName: 'Ada' }
    const pubKeyCredParams = [{ type: 'public-key', alg: -7 }]
    const outcomes = []
    for (const host of hosts) {
      const publicKey = { challenge, user, pubKeyCredParams, rp: { id: host, name: 'app' }, timeout: 5000 }
      outcomes.push(await outcomeOf(() => navigator.credentials.create({ publicKey })))
      outcomes.push(
        await outcomeOf(() => navigator.credentials.get({ publicKey: { challenge, rpId: host, timeout: 5000 } })),
      )
    }
    return outcomes
  },
  changeByRequest: async (origin) => {
    const url = `${origin}/api/v1/threads`
    const send = (init) => outcomeOf(() => fetch(url, { method: 'POST', credentials: 'include', body: '{}', ...init }))
    await send({ mode: 'no-cors' })
    await send({ headers: { 'content-type': 'application/json' } })
    const sink = Object.assign(document.createElement('iframe'), { name: 'sink' })
    const form = Object.assign(document.createElement('form'), { method: 'post', action: url, target: 'sink' })
    document.body.append(sink, form)
    form.submit()
  },
  leadAway: () =>
    outcomeOf(() => {
      top.location.href = 'about:blank#led-away'
    }),
  leadAwayByClick: () => {
    document.querySelector('#go').onclick = () => window.open('about:blank#led-away', '_top')
  },
  sendMessages: () => {
    for (const type of ['navigate', 'preview', 'send', 'logout'])
      parent.postMessage({ type, path: '/', text: 'x' }, '*')
  },
  plantCookie: (name) => {
    const domain = location.hostname.split('.').slice(1).join('.')
    // biome-ignore lint/suspicious/noDocumentCookie: the way in which a hostile page does it
    for (const path of ['/api', '/']) document.cookie = `${name}=planted; domain=${domain}; path=${path}`
  },
  /** As many and as large as the browser keeps for a domain. */
  plantManyCookies: (name) => {
    const domain = location.hostname.split('.').slice(1).join('.')
    const paths = ['/', '/api', '/api/', '/api/v1', '/api/v1/', '/api/v1/me']
    const hiding = paths.map((path) => ({ cookie: name, path }))
    const others = Array.from({ length: 180 }, (_, index) => ({ cookie: `planted-${index}`, path: '/' }))
    for (const { cookie, path } of [...others, ...hiding]) {
      // biome-ignore lint/suspicious/noDocumentCookie: the way in which a hostile page does it
      document.cookie = `${cookie}=${'x'.repeat(4000)}; domain=${domain}; path=${path}`
    }
  },
  registerWorkers: async (origin) => {
    const { serviceWorker } = navigator
    await serviceWorker.register('/worker.js')
    await serviceWorker.ready
    if (serviceWorker.controller === null) {
      await new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
    }
    const foreign = await outcomeOf(() => serviceWorker.register(`${origin}/worker.js`))
    return [await (await fetch('/hijacked')).text(), foreign]
  },
  reach: (url) => outcomeOf(() => fetch(url, { mode: 'no-cors', credentials: 'include' })),
}
