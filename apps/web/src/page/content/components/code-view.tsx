import { useEffect, useState } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import type { CodeToken } from '../state/code-tokens.logic.ts'

/** Longer code is shown without colors: coloring it would block the page. */
const longestHighlighted = 60_000

/** Code with syntax colors. The text is shown immediately; the colors follow. */
export function CodeView(props: { code: string; language: string; className?: string; label: string }) {
  const tokens = useTokens(props.code, props.language)
  return (
    <ScrollBox className={classNames('code', props.className)} label={props.label}>
      {tokens === null
        ? props.code
        : tokens.map((token, index) =>
            token.role === null ? (
              token.text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
              <span key={index} className={token.role}>
                {token.text}
              </span>
            ),
          )}
    </ScrollBox>
  )
}

function useTokens(code: string, language: string): CodeToken[] | null {
  const [result, setResult] = useState<{ code: string; tokens: CodeToken[] | null } | null>(null)
  useEffect(() => {
    if (code.length > longestHighlighted || language === '') return
    let isCurrent = true
    void import('../state/highlighter.ts').then(({ highlight }) => {
      if (isCurrent) setResult({ code, tokens: highlight(code, language) })
    })
    return () => {
      isCurrent = false
    }
  }, [code, language])
  return result?.code === code ? result.tokens : null
}
