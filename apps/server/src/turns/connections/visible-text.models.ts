/**
 * A text without characters that nobody sees: what the model reads of a server is what a person can read. Line ends and
 * tabs stay.
 */
export function visibleText(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, '')
}
