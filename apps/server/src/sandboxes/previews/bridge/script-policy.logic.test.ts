import { describe, expect, test } from 'vitest'
import { ignoresAddresses, withScripts } from './script-policy.logic.ts'

const url = 'http://8000-a.box.localhost/.threadbox/bridge.js'
const byUrl = (policy: string) => withScripts(policy, { urls: [url], inlineHash: undefined })
const byHash = (policy: string) => withScripts(policy, { urls: [url], inlineHash: 'sha256-x=' })

describe('a policy lets the bridge through', () => {
  test('by its URL alone, and other scripts stay as allowed', () => {
    expect(byUrl("default-src 'self'; img-src *")).toBe(`default-src 'self'; img-src *; script-src-elem 'self' ${url}`)
    expect(byUrl("script-src 'nonce-a' 'unsafe-eval'")).toBe(
      `script-src 'nonce-a' 'unsafe-eval'; script-src-elem 'nonce-a' 'unsafe-eval' ${url}`,
    )
    expect(byUrl("script-src-elem 'self'; script-src 'none'")).toBe(`script-src 'none'; script-src-elem 'self' ${url}`)
    expect(byUrl("default-src 'none'")).toBe(`default-src 'none'; script-src-elem ${url}`)
    expect(byUrl("script-src 'self' 'unsafe-inline'")).toContain(`script-src-elem 'self' 'unsafe-inline' ${url}`)
  })

  test('each of several; those that do not mention scripts stay unchanged', () => {
    expect(byUrl("img-src 'self', default-src 'none'; img-src *")).toBe(
      `img-src 'self', default-src 'none'; img-src *; script-src-elem ${url}`,
    )
    expect(byUrl('')).toBe('')
  })

  test('by its hash where URLs do not count, and a page with inline scripts keeps them', () => {
    const strict = "script-src 'nonce-a' 'strict-dynamic' 'unsafe-inline'"
    expect(ignoresAddresses(`img-src *, ${strict}`)).toBe(true)
    expect(ignoresAddresses("script-src 'self'; style-src 'strict-dynamic'")).toBe(false)
    expect(byHash(strict)).toContain(`script-src-elem 'nonce-a' 'strict-dynamic' 'unsafe-inline' 'sha256-x=' ${url}`)
    expect(byHash("script-src 'self' 'unsafe-inline'")).not.toContain('sha256')
  })
})
