/** Removes invisible characters, so that the model reads of a server what people can see. Line ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, '')
}
