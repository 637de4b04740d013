import type { WordRule } from './rule.ts'

/** Rules for the German texts: one form of address, and the glossary. */
export const germanRules: readonly WordRule[] = [
  {
    id: 'de-du',
    pattern: /\b(du|dich|dir|dein(e|er|em|en|es)?)\b/i,
    advice: 'Die Anrede ist überall „Sie“.',
  },
  {
    id: 'de-computer',
    pattern: /(?<!\bIhr(em|en|es)? )\b(Computer|Rechner)(s|n)?\b/,
    advice: '„Sandbox“ (eines Threads) oder „Umgebung“ (eines Agenten); „Ihr Computer“ ist das Gerät der Leser.',
  },
  {
    id: 'de-give-up',
    pattern: /\b(gibt|geben|gab) \w+ ?auf\b|\baufgegeben\b|\baufgeben\b/i,
    advice: 'Arbeitsspeicher wird „verworfen“, Warten „abgebrochen“.',
  },
  {
    id: 'de-log-in',
    pattern: /\b(ein|aus)(logg|log)\w*|\bLogins?\b/i,
    advice: '„anmelden“, „abmelden“, „Sitzung“.',
  },
  {
    id: 'de-place',
    pattern: /\bPlätzen?\b|\beinen Platz\b|\bder nächste Platz\b/i,
    advice: 'Es gibt keine Plätze: Der Arbeitsspeicher des Hosts ist voll, und ein Thread wartet.',
  },
]
