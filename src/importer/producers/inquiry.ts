/**
 * Simple commands that only ask: of a network, a package manager, a database, a cluster or the system, or that say what
 * they would do. Unlike looks they may fail and pass as what they are, but nothing is another afterwards.
 */
import { readingWords } from './reading-commands.ts'

function either(...forms: readonly string[]): RegExp {
  return new RegExp(`^(?:${forms.join('|')})(?=$|\\s)`)
}

/** `npm`, words that only ask, and as many options in front of them. */
function asking(programs: string, words: string): string {
  return `(?:${programs})(?: (?:-n|--namespace|--context|--kubeconfig|-C|--prefix|--cwd) [^\\s-]\\S*| -{1,2}[\\w-]+(?:=\\S+)?)* (?:${words})`
}

const FILES = either(
  'md5(?:sum)?|sha\\d*sum|shasum|b2sum|cksum|sum|strings|od|nm|objdump|readelf|size|ldd|otool|realpath|readlink|basename|dirname',
  'column|tr|comm|paste|join|fold|fmt|rev|tac|seq|expr|bc|zcat|zgrep|zless|zipinfo|getent|getfacl|lsattr|locate|mdfind|tokei|cloc|scc|bat|batcat|eza|exa|lsd|apropos|whatis|info|tldr|expand|unexpand|shuf|look|diffstat|delta|csvlook|csvstat|pipdeptree|ffprobe|identify|pdfinfo|exiftool(?! .*-\\w+[<+-]?=)',
  'base64(?! .*-o)|yq(?! .*(?:-\\w*i|--inplace))|xmllint(?! .*--output)|(?:gunzip|gzip|xz|bzip2) -(?:[cdk]*l|[dk]*cd?)|tar -?t\\w*|unzip -(?:l|p|t|v)|7z l|json\\.tool \\S+$|json\\.tool$',
  'tee(?: -a)?(?: /dev/\\S+)*$',
)

const SYSTEM = either(
  'nvidia-smi(?: (?:-L|-q|--query\\S*|--format\\S*))*$|ls(?:cpu|usb|pci|blk|mod|hw|b_release|of|ns)|free|vmstat|iostat|mpstat|uptime|w|who|last|groups|nproc|arch|getconf|sw_vers|system_profiler|dmidecode|dmesg|findmnt|blkid|pstree|htop|locale|tty|jobs|cal|netstat|ss',
  'sysctl(?! .*(?:-w|-p|=))|ulimit(?: -[HS]*[a-zA-Z])?$|umask(?: -S)?$|mount$|route -\\w*n|iptables(?: -t \\w+)? -(?:L|S|\\w*nL\\w*)|fuser(?! .*-\\w*k)|mktemp -u|tput|localectl(?: status)?$|swapon --show|timedatectl(?: status)?$|hostnamectl(?: status)?$|alias$|(?:declare|typeset|export|readonly) -p|compgen|help|hash$|times$|fc -l|stty -a|crontab -l|tmux (?:ls|list-\\S+|capture-pane)|screen -ls',
  'systemctl(?: --user| --no-pager)* (?:status|is-\\S+|show|list-\\S+|cat)|service \\S+ status|launchctl list|ssh-add -l|ssh-keygen -l\\S*|gpg (?:--list-\\S+|-[kK])|openssl (?:version|s_client|dgst|x509(?! .*-out\\b))',
)

// An option that stands alone and prints what the program is or has.
const ABOUT = either(
  '(?:gcc|g\\+\\+|cc|clang|php|ruby|perl|mvn|java|javac|kotlinc|scala|swift|ghc|tsc|node|deno|bun|python[\\d.]*) -{1,2}(?:v|V|version)$',
  'rustc -vV|php -[mi]$|php --(?:ini|ri|modules)|node (?:-p|--print) process\\.\\w+$|site$',
)

const NETWORK = either(
  'ping6?|traceroute|tracepath|mtr|nslookup|dig|host|whois|nc -\\w*z\\w*|ifconfig(?: \\S+)?$|arp -a|ip (?:-\\S+ )*(?:a|addr|address|r|route|l|link|neigh)(?: (?:show|list|ls).*)?$|pg_isready',
  'git ls-remote|ssh -T|wget (?:.* )?(?:-\\w*O ?-|--spider)|https? (?:-\\S+ )*(?:GET|HEAD|OPTIONS)',
)

// With an option of these a request gives something, or keeps what it gets.
const CURL_ACTS =
  /\s(?:-X(?! ?(?:GET|HEAD))|--request(?![ =](?:GET|HEAD))|-\w*[dFTOJ](?=$|\s|[^\w])|--(?:data|form|json|upload|remote-name|output-dir)\b|-\w*o(?! ?(?:\/dev\/null|-(?:\s|$)))|--output(?![ =](?:\/dev\/null|-(?:\s|$))))/

const PACKAGES = either(
  asking(
    'npm|pnpm|yarn',
    `${readingWords('npm')}|audit(?! fix)|doctor|store path|bin|root|prefix|config (?:get|list|ls)|fund|search|ping|whoami|query|licenses|show|help`,
  ),
  asking('pip3?', `${readingWords('pip')}|check|inspect|debug|cache (?:list|info|dir)|config (?:list|get|debug)`),
  asking('uv', 'pip (?:list|show|check|tree|freeze)|tree|version$|python (?:list|find|dir)|cache dir'),
  asking('poetry|pipenv|pdm|hatch', 'show|check|graph|list|info|version$|env (?:info|list|show)|config --list'),
  asking('conda|mamba|micromamba', 'list|info|search|env list|config --show\\S*'),
  asking('gem', 'list|info|search|which|env|environment|dependency|contents|outdated|specification'),
  asking('bundle', 'list|show|info|check|outdated|platform|config(?: list)?$'),
  asking(
    'composer',
    'show|info|outdated|validate|diagnose|why\\S*|depends|prohibits|licenses|check-platform-reqs|audit|status',
  ),
  asking('cargo', 'tree|metadata|search|pkgid|locate-project|info|help|outdated|audit|deny check') +
    '|cargo --list|rustc (?:--explain|--print)',
  asking('rustup', 'show|which|check|(?:toolchain|target|component) list|doc --path'),
  'go (?:env(?! .*-[wu]\\b)|list|version|doc|help|mod (?:graph|why|verify))',
  '(?:\\S*/)?mvnw?(?: -\\S+)* (?:dependency:(?:tree|list|analyze)|help:\\S+)$|(?:\\S*/)?gradlew?(?: -\\S+)* (?:\\S*:)?(?:tasks|dependencies|dependencyInsight|projects|properties|help)',
  `${asking('dotnet', 'list')}|dotnet --(?:info|list-\\S+)|nuget list`,
  `${asking('brew', 'list|ls|info|search|outdated|deps|uses|doctor|config|home|desc')}|brew --(?:prefix|cellar)`,
  asking(
    'apt|apt-get|apt-cache|apt-file|aptitude',
    'list|show|search|policy|depends|rdepends|madison|showpkg|pkgnames|check|find',
  ),
  'dpkg (?:-[lLsSpC]|--(?:list|listfiles|status|search|get-selections|print-\\S+|audit|verify))|dpkg-query|rpm -q\\w*|pacman -(?:Q|Ss|Si)\\w*|nix-env -q\\w*|pkg info',
  asking('yum|dnf|zypper', 'list|info|search|repolist|provides|whatprovides|check-update|se|if|lr'),
  asking(
    'apk|snap|flatpak|choco|winget|scoop|opam|luarocks|pod|stack|asdf|nvm|pyenv|rbenv|nodenv|sdk|fnm|volta',
    'info|list|ls|search|policy|find|show|current|versions|version|which|outdated|where',
  ),
  'mix (?:deps$|deps\\.tree|help|hex\\.info|hex\\.outdated|xref)|rebar3 tree|swift package (?:describe|show-dependencies)|(?:flutter|dart) (?:doctor|pub deps|--version)|pkg-config|ldconfig -p|update-alternatives --(?:list|display)',
)

const GIT = either(
  `git(?: --no-pager| -C \\S+| -c \\S+)* (?:${readingWords('git')}|fetch|ls-remote|ls-tree|cat-file|rev-list|merge-base|name-rev|diff-tree|diff-index|diff-files|for-each-ref|show-ref|show-branch|check-ignore|check-attr|whatchanged|cherry|count-objects|fsck|var|help|version|range-diff)`,
  'git(?: --no-pager| -C \\S+)* (?:tag(?: -l.*| --list.*)?$|branch(?: -[avr]+| --(?:list|all|show-current|contains).*)?$|remote(?: -v| show .*| get-url .*)?$|config (?:(?:--global|--local|--system) )?(?:-l|--list|--get\\S*|[\\w.-]+$)|worktree list|submodule (?:status|summary)|stash (?:list|show)|bisect log|notes (?:list|show)|lfs (?:ls-files|status|env))',
)

const CLUSTERS = either(
  asking(
    'terraform|tofu|terragrunt',
    'plan(?! .*-out)|show|output|validate|version|providers|graph|state (?:list|show|pull)|workspace (?:list|show)|fmt .*-check',
  ),
  asking(
    'helm',
    'list|ls|status|get|history|template(?! .*--output-dir)|show|search|lint|version|env|repo list|diff|dependency list',
  ),
  asking(
    'kubectl|oc',
    `${readingWords('kubectl')}|explain|top|version|api-resources|api-versions|cluster-info|config (?:view|current-context|get-\\S+)|auth can-i|diff|rollout (?:status|history)|events|wait`,
  ),
  asking(
    'docker|podman',
    `${readingWords('docker')}|version|info|stats|top|port|diff|history|events|search|(?:network|volume|image|container|context|buildx|plugin|node|stack|secret) (?:ls|list|inspect|history|logs|top|ps|show|du)|system (?:df|info)|manifest inspect|compose (?:version|ls|top)`,
  ),
  'aws(?: --\\S+(?: [^\\s-]\\S*)?)* (?:[\\w-]+ (?:get|list|describe|head|lookup|search|scan|query|filter|batch-get)\\b\\S*|s3 ls|configure (?:list|get)|logs tail)',
  'gcloud .*\\b(?:list|describe|info|get-value|read|print-\\S+)|az .*\\b(?:list|show)|doctl .*\\b(?:list|get)',
  'gh (?:auth status|search|(?:cache|secret|variable|label|gist|run|pr|issue|release|repo|workflow|ruleset|extension) (?:list|view|diff|checks|status|watch)|status|api(?! .*(?:-X|--method|-f|-F|--field|--raw-field|--input)))',
  'glab \\w+ (?:list|view|diff|status|trace)|pulumi (?:preview|stack ls|whoami|logs)|heroku (?:logs|ps|config|releases|info|apps)|fly(?:ctl)? (?:status|logs|list|info)|vercel (?:ls|list|inspect|logs|whoami)|vagrant (?:status|global-status)|ansible-(?:inventory|doc)|ansible \\S+ -m (?:ping|setup)',
)

const READ_ONLY =
  '(?:select|show|describe|desc|explain(?! analyze)|table|values|pragma [\\w.]+(?:\\([^)]*\\))?$|\\\\[dlczs]|\\.(?:tables|schema|indexes|databases|headers|mode|dump))'
const ASKS_ONLY = new RegExp(`^\\s*${READ_ONLY}`, 'i')
const SQL_ACTS =
  /\binto\b|\bfor update\b|\b(?:setval|nextval|pg_(?:terminate|cancel|reload|rotate|switch)\w*|lo_\w+|dblink\w*|set_config)\b/i
const DATABASE = /^(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client|cockroach sql)\s/
const STORES =
  /^(?:redis-cli(?: -[hpn] \S+)* (?:get|mget|keys|info|ping|ttl|pttl|type|exists|h(?:get|getall|keys|vals|len)|lrange|llen|smembers|scard|zrange|scan|dbsize|strlen|config get|client list|memory usage)\b|mysqladmin (?:-\S+ )*(?:ping|status|processlist|version|variables)\b|psql (?:.* )?-\w*l\b|mongo(?:sh)? (?:.* )?--eval (?:"[^"]*|'[^']*)\.(?:find|findOne|count\w*|stats|getIndexes|getCollectionNames)\([^;]*\)["']$)/i

/** A database's own program with statements in quotes that only read. */
function asksDatabase(bare: string): boolean {
  if (STORES.test(bare)) return true
  if (!DATABASE.test(bare)) return false
  if (/^sqlite3 (?:-\w+ )*[^\s-]\S* \.(?:tables|schema|indexes|databases|dump)(?: \w+)?$/.test(bare)) return true
  const quoted = [...bare.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, double, single]) => double ?? single ?? '')
  const statements = quoted.flatMap((text) => text.split(';')).filter((text) => text.trim() !== '')
  return (
    statements.length > 0 &&
    !/\s(?:-f|--file|-o|--output)\b/.test(bare) &&
    statements.every((statement) => ASKS_ONLY.test(statement) && !SQL_ACTS.test(statement))
  )
}

const TRIALS =
  /\s--(?:dry-run|dryrun|collect-only|co|check|check-only|just-print|recon|simulate|noop|no-act|list|list-tests|listTests|showConfig|show-config|print-config|syntax-check|help)(?:[\s=]|$)|^(?:gofmt|goimports|shfmt)(?! .*-w)\s|^(?:black|isort|ruff|autopep8|yapf|rubocop) (?:.* )?--diff(?:\s|$)|^ninja (?:.* )?-n(?:\s|$)|^g?make (?:.* )?-[BCkrsw]*[nq][BCkrsw]*(?:\s|$)|^(?:apt|apt-get|aptitude) (?:.* )?-s(?:\s|$)|^rsync (?:.* )?-\w*n|^(?:ba|z|da|k)?sh -n\s|^(?:php -l|ruby -c|perl -c|node --check|node -c)\s|^py_compile\s|^(?:tox|nox) -\w*l\b/

/** @param bare a simple command without what wraps it */
export function isInquiry(bare: string): boolean {
  if (bare.length > LINE_UNITS_MAX) return false
  const isRequest = /^curl\s/.test(bare) && !CURL_ACTS.test(bare)
  return isRequest || TRIALS.test(bare) || asksDatabase(bare) || TABLES.some((table) => table.test(bare))
}

const TABLES = [FILES, SYSTEM, ABOUT, NETWORK, PACKAGES, GIT, CLUSTERS] as const
const LINE_UNITS_MAX = 2_000

// Group 1 is the command that runs elsewhere, or in another shell.
const ELSEWHERE =
  /^(?:ssh(?: -[bceilmopDEFIJLQRSwW] ?\S+| -[^\sbceilmopDEFIJLQRSwW]\S*)* [^\s-]\S*|(?:docker|podman|docker-compose)(?: compose)? exec(?: -\w+)* [^\s-]\S*|kubectl exec(?: -\w+)* [^\s-]\S*(?: -\w+)* --|(?:ba|z|da)?sh -l?c) (.+)$/s

/** `uptime` of `ssh host uptime`; null where nothing is run elsewhere. */
export function commandElsewhere(bare: string): string | null {
  const line = ELSEWHERE.exec(bare)?.[1]
  if (line === undefined) return null
  const [, , quoted] = /^(["'])(.*)\1$/s.exec(line) ?? []
  return quoted ?? line
}
