export type PeopleEvents = {
  /**
   * `limits`: limits of sandboxes are among what was changed. Whoever changed them waits for the listeners. After a crash
   * the next start applies limits and looks at the policy, and the next snapshot trims.
   */
  'settings-changed': { limits: boolean }
}
