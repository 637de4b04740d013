/** What a page's policy has to let through: scripts at exact addresses and, where addresses do not count, one text. */
export type AllowedScripts = { urls: readonly string[]; inlineHash: string | undefined }

const nonceOrHash = /^'(?:nonce-|sha(?:256|384|512)-)/i

/** Whether some policy of the header ignores addresses of scripts, so that the script has to stand in the page itself. */
export function ignoresAddresses(header: string): boolean {
  return policiesOf(header).some((policy) => scriptSources(policy)?.some(isKeyword('strict-dynamic')) === true)
}

/**
 * A header of policies with one exception: these scripts may run. What else may run stays as it is said, also for inline
 * scripts: naming a text would take back an `'unsafe-inline'` beside it, so it is only named where that does not hold.
 */
export function withScripts(header: string, allowed: AllowedScripts): string {
  return policiesOf(header)
    .map((policy) => {
      const sources = scriptSources(policy)
      if (sources === undefined) return policy.join('; ')
      const kept = sources.filter((source) => !isKeyword('none')(source))
      const isInlineFree =
        sources.some(isKeyword('unsafe-inline')) &&
        !sources.some((source) => nonceOrHash.test(source) || isKeyword('strict-dynamic')(source))
      const text = allowed.inlineHash === undefined || isInlineFree ? [] : [`'${allowed.inlineHash}'`]
      const directive = ['script-src-elem', ...kept, ...text, ...allowed.urls].join(' ')
      return [...policy.filter((other) => nameOf(other) !== 'script-src-elem'), directive].join('; ')
    })
    .join(', ')
}

/** The sources that count for elements that are scripts; undefined when the policy says nothing of them. */
function scriptSources(policy: readonly string[]): string[] | undefined {
  for (const name of ['script-src-elem', 'script-src', 'default-src']) {
    // Of two directives of one name browsers heed the first.
    const directive = policy.find((candidate) => nameOf(candidate) === name)
    if (directive !== undefined) return directive.trim().split(/\s+/).slice(1)
  }
  return undefined
}

function policiesOf(header: string): string[][] {
  return header
    .split(',')
    .map((policy) =>
      policy
        .split(';')
        .map((directive) => directive.trim())
        .filter((directive) => directive !== ''),
    )
    .filter((policy) => policy.length > 0)
}

function nameOf(directive: string): string {
  return /^\S*/.exec(directive)?.[0].toLowerCase() ?? ''
}

function isKeyword(name: string): (source: string) => boolean {
  return (source) => source.toLowerCase() === `'${name}'`
}
