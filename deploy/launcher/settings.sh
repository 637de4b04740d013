# Paths and versions. Sourced by the launcher.
# shellcheck shell=bash disable=SC2034

readonly node_version=24.21.0
readonly npm_version=11.21.2
readonly node_wheel_version=24.19.0
readonly go_version_needed=21
readonly go_wheel_version=1.27.3
readonly runsc_version=v0.0.0-20260905035102-160fafc42237
# Go's checksum of that source, whose own go.sum has those of its dependencies.
readonly runsc_source_sum=h1:AU5+CtCvnBnxdZRNcZt1NfSLqgkXZVT3N/u6u1aXg44=
# Day of gVisor's own release of the same source; its checksums are in runsc-release.sha512.
readonly runsc_release_day=20260907
# Also in packages/testkit/src/s3-gateway/index.ts.
readonly s3_gateway_version=v1.8.0
readonly cache=${THREADBOX_CACHE:-/var/cache/threadbox}
readonly npm_cache=$cache/npm

# Required Debian packages; the same names on Ubuntu.
readonly -a debian_packages=(
  btrfs-progs bzip2 ca-certificates debian-archive-keyring iproute2 mmdebstrap nftables procps tini util-linux zstd
)

data_dir=${THREADBOX_DATA:-/var/lib/threadbox}
port=
listen_host=
domain=
public_url=
readonly caller_directory=$PWD

# Environment variables of this machine's proxy and certificates, kept when the launcher restarts itself as root.
readonly kept_variables=HTTP_PROXY,HTTPS_PROXY,NO_PROXY,http_proxy,https_proxy,no_proxy,SSL_CERT_FILE,SSL_CERT_DIR,NODE_EXTRA_CA_CERTS,PIP_CERT,REQUESTS_CA_BUNDLE,PIP_INDEX_URL,UV_DEFAULT_INDEX,GOPROXY,GOFLAGS,npm_config_registry,npm_config_cafile,THREADBOX_CACHE,THREADBOX_DATA,THREADBOX_POOL_SIZE,THREADBOX_TEST_SEED,CI,ANTHROPIC_API_KEY,OPENAI_API_KEY,GOOGLE_GENERATIVE_AI_API_KEY,AWS_ACCESS_KEY_ID,AWS_SECRET_ACCESS_KEY

# Reads --data-dir and the options of `up` from arguments that `check_arguments` accepted; the rest is in `rest`.
parse_options() {
  rest=()
  while [ $# -gt 0 ]; do
    case $1 in
      --data-dir | --port | --host | --domain | --public-url)
        set_option "$1" "$2"
        shift 2
        ;;
      --data-dir=* | --port=* | --host=* | --domain=* | --public-url=*)
        set_option "${1%%=*}" "${1#*=}"
        shift
        ;;
      *)
        rest+=("$1")
        shift
        ;;
    esac
  done
}

set_option() {
  case $1 in
    --data-dir)
      data_dir=$(cd "$caller_directory" && realpath -m -- "$2")
      ;;
    --port)
      [[ $2 =~ ^[0-9]+$ ]] && [ "$2" -ge 1 ] && [ "$2" -le 65535 ] || refuse "--port must be a number from 1 to 65535, not '$2'."
      port=$2
      ;;
    --host)
      [[ $2 =~ ^[A-Za-z0-9.:-]+$ ]] || refuse "--host must be an address of this machine, not '$2'."
      listen_host=$2
      ;;
    --domain)
      [[ $2 =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]] || refuse "--domain must be a name such as box.example.com, not '$2'."
      domain=$2
      ;;
    --public-url)
      [[ $2 =~ ^(none|https?://[a-z0-9.-]+(:[0-9]+)?)$ ]] ||
        refuse "--public-url must be a URL such as https://app.box.example.com, or none, not '$2'."
      public_url=$2
      ;;
  esac
}
