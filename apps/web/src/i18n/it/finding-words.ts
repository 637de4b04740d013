import type { FindingWords } from '../words.ts'

const tryAgain = 'Riprova. Se succede ancora, cerca l’ID della richiesta in `threadbox logs`.'
const checkNetwork =
  'Controlla che questo host riesca a risolvere i nomi (/etc/resolv.conf). Se raggiunge Internet tramite un proxy, imposta THREADBOX_SANDBOX_PROXY. Se i certificati sono firmati da un’autorità di certificazione aziendale, imposta THREADBOX_EXTRA_CERTIFICATES. Vedi anche il controllo «Altri firewall».'

/** What the checks of the machine find, and the fix. */
export const findings: FindingWords = {
  'host-reachable-fine': { detail: 'Risponde.', cure: '' },
  'host-reachable-missing': { detail: 'Non risponde.', cure: 'Esegui `threadbox doctor` sul server.' },
  'kernel-fine': { detail: 'Linux {release}', cure: '' },
  'kernel-too-old': {
    detail: 'Linux {release} è precedente alla versione 5.10.',
    cure: 'Aggiorna a Debian 12, Ubuntu 24.04 o versioni successive.',
  },
  'cgroups-fine-v1': {
    detail:
      'Versione 1: memoria, CPU e processi si possono limitare. Una sandbox parte 5–30 ms più tardi che con la versione 2.',
    cure: '',
  },
  'cgroups-fine': { detail: 'Versione {version}: memoria, CPU e processi si possono limitare.', cure: '' },
  'cgroups-missing': {
    detail: 'Versione {version}: nessun limite possibile per {missing}.',
    cure: 'Aggiungi `cgroup_enable={first}` alla riga di comando del kernel, o assegna al container un proprio albero cgroup.',
  },
  'disk-rate-fine': { detail: 'Ogni sandbox legge e scrive al massimo {rate} MiB al secondo.', cure: '' },
  'disk-rate-none': { detail: 'Nessun limite impostato.', cure: '' },
  'disk-rate-not-enforced': {
    detail:
      'Non applicato su questo kernel (cgroup versione {version}): una sandbox può rallentare il disco per le altre.',
    cure: 'Avvia l’host con cgroup v2 e il controller `io`, ad esempio con `systemd.unified_cgroup_hierarchy=1`.',
  },
  'btrfs-fine': { detail: '{version}', cure: '' },
  'btrfs-missing': { detail: 'btrfs non è disponibile nel kernel.', cure: 'Carica il modulo: `modprobe btrfs`' },
  'nftables-fine': { detail: 'La tabella nftables {table} è presente.', cure: '' },
  'nftables-missing': {
    detail:
      'La tabella nftables {table} non c’è più: qualcosa l’ha rimossa dopo che il daemon dell’host l’aveva creata.',
    cure: 'Riavvia il daemon dell’host e assicurati che nessun altro strumento esegua `nft flush ruleset`.',
  },
  'router-missing': {
    detail: 'Lo spazio dei nomi di rete delle sandbox è stato rimosso, perciò non raggiungono nulla.',
    cure: 'Esegui `./threadbox down` e poi `./threadbox up`. Le sandbox che erano attive hanno poi di nuovo una rete.',
  },
  'nftables-outdated': {
    detail: 'La tabella nftables {table} non blocca questi indirizzi della rete dell’host: {addresses}.',
    cure: 'Riavvia il daemon dell’host. Se succede di nuovo, cerca «network» in `threadbox logs`.',
  },
  'process-fine': { detail: 'utente {user}, nessun privilegio, {memory} MiB', cure: '' },
  'process-missing': {
    detail: 'Il processo non è in esecuzione.',
    cure: 'Esegui `./threadbox down` e `./threadbox up`. Se succede di nuovo, cerca «{name}» in `threadbox logs host`.',
  },
  'process-silent': {
    detail: 'Il processo {pid} non risponde.',
    cure: 'Esegui `./threadbox down` e `./threadbox up`. Se succede di nuovo, cerca «{name}» in `threadbox logs host`.',
  },
  'process-privileged': {
    detail: 'Il processo {pid} ha privilegi che non deve avere: {rights}.',
    cure: 'Esegui `./threadbox up`, poi `./threadbox down` e `./threadbox up`: il primo comando ripara utenti e impostazioni.',
  },
  'forwarding-fine': {
    detail: 'Nessun altro firewall scarta per impostazione predefinita il traffico delle sandbox.',
    cure: '',
  },
  'forwarding-blocked-docker': {
    detail: '{chain} scarta per impostazione predefinita il traffico delle sandbox.',
    cure: '{commands}',
  },
  'forwarding-blocked-ufw': {
    detail: '{chain} scarta per impostazione predefinita il traffico delle sandbox.',
    cure: '{commands}',
  },
  'forwarding-blocked-other': {
    detail: '{chain} scarta per impostazione predefinita il traffico delle sandbox.',
    cure: 'In {chain}, accetta i pacchetti inoltrati dalle interfacce {interfaces} e, in senso inverso, quelli delle connessioni già stabilite.',
  },
  'ids-fine': { detail: 'Nessuna sandbox ha un ID utente di questo host.', cure: '' },
  'ids-not-shifted': {
    detail: 'Le sandbox hanno gli ID utente di questo host, senza i suoi diritti: {reason}',
    cure: 'Usa un host con Linux 5.15 o successivo e perl, e tieni THREADBOX_DATA su btrfs, ext4 o XFS.',
  },
  'namespaces-missing': {
    detail: 'Il kernel non crea namespace utente: {reason}',
    cure: 'Permettili: `sysctl user.max_user_namespaces=15000`. In un container deve permetterli anche il suo runtime.',
  },
  'driver-fine': { detail: '{name} {version}, con i programmi ausiliari', cure: '' },
  'driver-without-helpers': {
    detail: '{name} {version}, senza i programmi ausiliari: con alcuni kernel una sandbox parte 40 ms più tardi.',
    cure: 'Esegui `./threadbox up` per installarli.',
  },
  'compression-off': { detail: 'Disattivata.', cure: '' },
  'compression-fine': { detail: '{heldBytes:size} di memoria occupano {storedBytes:size} di RAM.', cure: '' },
  'compression-fine-v1': {
    detail:
      '{heldBytes:size} di memoria occupano {storedBytes:size} di RAM. Con la versione 1 dei cgroup, quando la memoria scarseggia il kernel comprime anche quella delle sandbox in esecuzione.',
    cure: '',
  },
  'compression-other-swap': {
    detail:
      'La memoria delle sandbox inattive non viene compressa, perché l’host potrebbe scriverla su un disco: {detail} è swap.',
    cure: 'Disattiva quello swap (`swapoff`, e la sua riga in /etc/fstab) oppure imposta THREADBOX_COMPRESS_FROZEN=off.',
  },
  'compression-full': {
    detail: 'Non c’è più spazio per altra memoria compressa: {detail}',
    cure: 'Aggiungi memoria all’host oppure riduci `idlePauseMinutes`, così le sandbox inattive vanno in pausa prima.',
  },
  'compression-unavailable': {
    detail: 'La memoria delle sandbox inattive non si può comprimere, quindi ognuna ne occupa di più: {detail}',
    cure: 'Usa un kernel con zram e swap (`modprobe zram`) oppure imposta THREADBOX_COMPRESS_FROZEN=off.',
  },
  'pool-fine': {
    detail: '{freeBytes:size} liberi su {totalBytes:size}, di cui {reservedBytes:size} riservati.',
    cure: '',
  },
  'pool-full': {
    detail: '{freeBytes:size} liberi su {totalBytes:size}, di cui {reservedBytes:size} riservati.',
    cure: 'Elimina i thread che non ti servono più, o aumenta THREADBOX_POOL_SIZE.',
  },
  'sandbox-fine': { detail: 'Sandbox pronta dopo {durationMs:duration}.', cure: '' },
  'sandbox-ended-early': { detail: 'La sandbox si è fermata non appena è stata pronta.', cure: tryAgain },
  'network-index-fine': { detail: 'L’indice dei pacchetti Python ha risposto.', cure: '' },
  'network-url-fine': { detail: '{url} ha risposto.', cure: '' },
  'network-index-unreachable': {
    detail: 'Impossibile raggiungere l’indice dei pacchetti Python da una sandbox: {output}',
    cure: checkNetwork,
  },
  'network-url-unreachable': { detail: 'Impossibile raggiungere {url} da una sandbox: {output}', cure: checkNetwork },
  'network-skipped': { detail: 'Impossibile avviare una sandbox.', cure: '' },
  'check-failed': { detail: '{message}', cure: tryAgain },
}
