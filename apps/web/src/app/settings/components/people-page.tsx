import { PeopleSection } from '../../../people/team/components/people-section.tsx'
import { PeopleLimits } from '../../../people/usage/components/people-limits.tsx'

/** Who is here, and how much each can use. */
export function PeoplePage() {
  return (
    <>
      <PeopleSection />
      <PeopleLimits />
    </>
  )
}
