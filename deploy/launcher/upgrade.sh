# `upgrade`: checks out a release whose tag has a trusted signature, and runs its `up`. Sourced by the launcher.
# shellcheck shell=bash

# Fetched tags are kept here, so that they replace no tag of the checkout.
readonly fetched_tags=refs/threadbox/tags
readonly trusted_keys=allowed_signers

upgrade_command() {
  local tag commit before
  parse_options "$@"
  case " ${rest[*]} " in
    ' --back ')
      upgrade_back
      return
      ;;
    *' --back '*) refuse 'upgrade --back takes no tag: it goes back to the release before the present one.' ;;
  esac
  require_checkout
  before=$(git_here rev-parse HEAD)
  fetch_tags
  tag=${rest[0]:-$(newest_tag)}
  if [ -z "$tag" ]; then
    say '✓ No newer release'
    return
  fi
  verify_tag "$tag"
  commit=$(git_here rev-parse "$fetched_tags/$tag^{commit}")
  if [ "$commit" = "$before" ]; then
    say "· $tag is checked out"
  else
    git_here merge-base --is-ancestor "$before" "$commit" ||
      fail "$tag doesn't contain the checked-out commit ($(git_here rev-parse --short "$before"))." \
        'A database that a newer release migrated cannot be opened by an older one. Choose a newer tag.'
    git_here -c advice.detachedHead=false checkout --quiet --detach "$commit" ||
      fail "$tag couldn't be checked out." 'The installation was not changed.'
    say "✓ $tag is checked out; it was $(git_here rev-parse --short "$before")"
  fi
  exec "$repository/threadbox" up --data-dir "$data_dir"
}

# git as the owner of the checkout, whose files stay theirs. Nothing that the checkout configures is run.
git_here() {
  local -a as_owner=()
  local owner
  owner=$(stat -c %u "$repository")
  if [ "$(id -u)" -eq 0 ] && [ "$owner" -ne 0 ]; then
    as_owner=(setpriv --reuid "$owner" --regid "$(stat -c %g "$repository")" --init-groups -- env "HOME=$(home_of "$owner")")
  fi
  "${as_owner[@]}" git -C "$repository" -c core.hooksPath=/dev/null -c core.fsmonitor=false \
    -c gpg.format=ssh -c gpg.ssh.program=ssh-keygen -c "gpg.ssh.allowedSignersFile=$repository/$trusted_keys" \
    -c gpg.minTrustLevel=fully "$@"
}

home_of() { getent passwd "$1" | cut -d : -f 6; }

require_checkout() {
  local program
  for program in git ssh-keygen; do
    command -v "$program" >/dev/null || fail "upgrade needs $program." 'Install git and openssh-client.'
  done
  git_here rev-parse --git-dir >/dev/null 2>&1 ||
    fail "$repository isn't a git checkout." 'Clone the repository, and run ./threadbox up from the clone.'
  grep -qE '^[^#[:space:]]' "$repository/$trusted_keys" 2>/dev/null ||
    fail "$trusted_keys has no key, so no release can be verified." \
      'Add the public key of a person whose releases you trust, as described in that file.'
  # A key that was only just added is the operator's; other changes would be lost or mixed into the release.
  [ -z "$(git_here status --porcelain --untracked-files=no -- . ":(exclude)$trusted_keys")" ] ||
    fail 'The checkout has changes.' 'Commit or discard them, then run upgrade again.'
}

fetch_tags() {
  git_here fetch --quiet --no-tags --force --prune origin "refs/tags/v*:$fetched_tags/v*" ||
    fail "The tags of releases couldn't be fetched." "Check the remote named origin: git -C $repository remote -v"
}

# The highest version of those that contain the checked-out commit; nothing if that is the checked-out one.
newest_tag() {
  local ref
  ref=$(git_here for-each-ref --count=1 --sort=-version:refname --contains HEAD --format='%(refname)' "$fetched_tags")
  [ -n "$ref" ] && [ "$(git_here rev-parse "$ref^{commit}")" != "$(git_here rev-parse HEAD)" ] || return 0
  printf '%s' "${ref#"$fetched_tags/"}"
}

# The signature covers the name: without comparing it, the tag of an old release could be served under a new one's name.
verify_tag() {
  local tag=$1 named problem
  [[ $tag =~ ^v[0-9][0-9A-Za-z.-]*$ ]] || refuse "A release's tag looks like v1.2.3, not '$tag'."
  git_here rev-parse --verify --quiet "$fetched_tags/$tag" >/dev/null ||
    fail "There is no release $tag." "The fetched ones: git -C $repository for-each-ref $fetched_tags"
  [ "$(git_here cat-file -t "$fetched_tags/$tag")" = tag ] ||
    fail "$tag isn't signed." 'Nothing was changed. Releases are signed tags.'
  problem=$(git_here verify-tag "$fetched_tags/$tag" 2>&1) ||
    fail "The signature of $tag is missing or not of a key in $trusted_keys." "${problem:-It has no signature.}" 'Nothing was changed.'
  named=$(git_here for-each-ref --format='%(tag)' "$fetched_tags/$tag")
  [ "$named" = "$tag" ] || fail "The tag under the name $tag was signed as $named." 'Nothing was changed.'
  say "✓ $tag is signed: ${problem#Good \"git\" signature for }"
}
