/** A box with a thread running through it. */
export function Logo(props: { size?: number }) {
  const size = props.size ?? 20
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <rect x="3.25" y="3.25" width="13.5" height="13.5" rx="3.5" stroke="currentColor" strokeWidth="1.6" />
      <path
        d="M10 .5v5.2c0 1.6 3 1.8 3 4.3s-6 1.7-6 4.1c0 1.3 3 1 3 2.2v3.2"
        stroke="var(--accent)"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
    </svg>
  )
}
