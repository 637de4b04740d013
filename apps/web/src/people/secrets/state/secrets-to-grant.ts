/** Secrets that were moved out of the message for a thread that doesn’t exist yet. In memory only. */
let waiting: string[] = []

export function grantLater(secretId: string): void {
  waiting.push(secretId)
}

/** Returns them once. */
export function takeSecretsToGrant(): string[] {
  const taken = waiting
  waiting = []
  return taken
}
