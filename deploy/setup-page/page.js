// Shows the launcher's steps as they arrive, and reloads the address when the server has taken over.
const texts = {
  en: {
    title: 'Setting up threadbox',
    lead: 'This page continues automatically.',
    starting: 'Starting. This page continues in a moment.',
    lost: 'Setup stopped. See the terminal for the reason, then run the same command again.',
    failed: 'A step failed. See the terminal for what to do.',
    foot: 'You can close this page. You can also interrupt setup and run it again.',
    steps: {},
  },
  de: {
    title: 'threadbox wird eingerichtet',
    lead: 'Diese Seite geht automatisch weiter.',
    starting: 'Wird gestartet. Diese Seite geht gleich weiter.',
    lost: 'Die Einrichtung wurde angehalten. Im Terminal steht der Grund; führen Sie danach denselben Befehl noch einmal aus.',
    failed: 'Ein Schritt ist fehlgeschlagen. Im Terminal steht, was zu tun ist.',
    foot: 'Sie können diese Seite schließen. Sie können die Einrichtung auch abbrechen und noch einmal starten.',
    steps: { packages: 'Debian-Pakete', release: 'threadbox', image: 'Grundsystem', start: 'Start' },
  },
  it: {
    title: 'Configurazione di threadbox',
    lead: 'Questa pagina prosegue automaticamente.',
    starting: 'Avvio. Questa pagina prosegue tra un momento.',
    lost: 'La configurazione si è fermata. Il motivo è nel terminale; poi esegui di nuovo lo stesso comando.',
    failed: 'Un passo non è riuscito. Nel terminale c’è che cosa fare.',
    foot: 'Puoi chiudere questa pagina. Puoi anche interrompere la configurazione ed eseguirla di nuovo.',
    steps: { packages: 'Pacchetti Debian', release: 'threadbox', image: 'Sistema di base', start: 'Avvio' },
  },
  ja: {
    title: 'threadbox をセットアップしています',
    lead: 'このページは自動的に進みます。',
    starting: '起動しています。このページはまもなく進みます。',
    lost: 'セットアップが止まりました。ターミナルで理由を確認し、同じコマンドをもう一度実行してください。',
    failed: '失敗した手順があります。対処方法をターミナルで確認してください。',
    foot: 'このページは閉じてもかまいません。セットアップを中断して、もう一度実行することもできます。',
    steps: { packages: 'Debian パッケージ', release: 'threadbox', image: 'ベースイメージ', start: '起動' },
  },
}
const wanted = (navigator.language || 'en').slice(0, 2)
const language = Object.hasOwn(texts, wanted) ? wanted : 'en'
const text = texts[language]
const marks = {
  waiting: 'M5 8h6',
  running: 'M14 8a6 6 0 1 1-6-6',
  done: 'M13 4 6 11 3 8',
  failed: 'M4 4l8 8M12 4l-8 8',
}
const byId = (id) => document.getElementById(id)

document.documentElement.lang = language
byId('title').textContent = text.title
byId('foot').textContent = text.foot
say(text.lead)
watch()

function watch() {
  const events = new EventSource('/__setup/events')
  events.addEventListener('steps', (event) => show(JSON.parse(event.data)))
  events.addEventListener('handover', () => leave(text.starting))
  events.addEventListener('error', () => leave(text.starting))

  function leave(words) {
    events.close()
    say(words)
    void awaitServer(Date.now())
  }
}

// The server's responses carry a request id; the setup page's, if it is back, carry its own header.
async function awaitServer(since) {
  const answer = await fetch('/api/v1/openapi.json', { cache: 'no-store' }).catch(() => undefined)
  if (answer?.headers.has('threadbox-request-id')) return location.reload()
  if (answer?.headers.has('threadbox-setup')) return watch()
  if (Date.now() - since > 20_000) say(text.lost)
  setTimeout(awaitServer, 500, since)
}

function show(steps) {
  say(steps.some((step) => step.state === 'failed') ? text.failed : text.lead)
  byId('steps').replaceChildren(...steps.map(line))
}

function line(step) {
  const item = document.createElement('li')
  item.className = step.state
  item.innerHTML = `<svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="${marks[step.state]}"/></svg><b></b><span class="took"></span><span class="now"></span>`
  item.querySelector('b').textContent = text.steps[step.id] ?? step.title
  item.querySelector('.took').textContent = figures(step)
  item.querySelector('.now').textContent = step.now
  return item
}

function figures(step) {
  if (step.state !== 'done') return ''
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const took = `${number.format(step.seconds)} s`
  return step.downloadedBytes ? `${number.format(step.downloadedBytes / 1e6)} MB · ${took}` : took
}

function say(words) {
  byId('lead').textContent = words
}
