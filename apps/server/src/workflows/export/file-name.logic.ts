/** Returns a name that every file system accepts, with an ending unless that is empty. */
export function fileName(title: string, ending: string): string {
  const name = title
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^\.+/, '')
  return `${name.slice(0, 100) || 'Thread'}${ending === '' ? '' : `.${ending}`}`
}
