// Runs before the first paint, so that a dark page never flashes white. The app takes over in src/app/theme.ts.
;(() => {
  let setting = null
  try {
    setting = localStorage.getItem('threadbox.theme')
  } catch {}
  const isDark = setting === 'dark' || (setting !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
})()
