export type PeopleEvents = {
  /**
   * `limits`: limits of sandboxes are among the changes. The request that changes them waits for the listeners. After a
   * crash the next start applies limits and the policy, and the next snapshot trims.
   */
  'settings-changed': { limits: boolean }
  /** A row was added to the audit log: with a provider in it, if the action went through one. For metrics only. */
  audited: { action: string; isThroughProvider: boolean }
  /** The person can no longer sign in. After a crash, what they have running ends by its own rules. */
  'person-disabled': { userId: string }
}
