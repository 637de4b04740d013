/** An ID that can’t be guessed. Unlike `crypto.randomUUID` it works at any address, not only over HTTPS. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
