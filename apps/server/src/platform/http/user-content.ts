/**
 * Content of users and their programs must never act as this app: a page gets its own, empty origin (`sandbox`), and
 * anything but the few types that a browser only displays is downloaded instead of shown.
 */
const contentPolicy =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline'; " +
  "img-src data: blob:; font-src data:; media-src data: blob:; frame-ancestors 'self'; sandbox allow-scripts"
/** A browser's PDF viewer doesn't work inside `sandbox`; a PDF can't reach the origin that it came from. */
const pdfPolicy = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"

const inlineTypes =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|x-icon|svg\+xml)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/(plain|html|css|csv|markdown)|application\/(pdf|json))$/

/** The response headers for content from a sandbox or an upload. */
export function contentHeaders(content: {
  mediaType: string
  name: string
  isDownload: boolean
}): Record<string, string> {
  const type = content.mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  const isInline = !content.isDownload && inlineTypes.test(type)
  return {
    'content-type': servedType(type),
    'content-disposition': disposition(isInline ? 'inline' : 'attachment', content.name),
    'content-security-policy': type === 'application/pdf' ? pdfPolicy : contentPolicy,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** The charset of a text file is unknown: UTF-8 is right for nearly all files and harmless for the rest. */
function servedType(type: string): string {
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) return 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/** RFC 6266: an ASCII name for old programs, and the real one in UTF-8. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_').slice(0, 150)
  const encoded = encodeURIComponent(name.toWellFormed().slice(0, 250)).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii === '' ? 'file' : ascii}"; filename*=UTF-8''${encoded}`
}
