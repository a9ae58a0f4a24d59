# sources: Debian source packages without touching a system file; sourced by the commands beside it.
#
#     debian_source NAME FOLDER    the unpacked source of package NAME is in FOLDER, or it returns 1

# Prints the deb-src lines that belong to the Debian mirror this machine is configured with.
sources_list()
{
    local key=/usr/share/keyrings/debian-archive-keyring.gpg options=
    [ -r "$key" ] && options="[signed-by=$key] "
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' | sort -u |
        awk -v options="$options" '$1 == "Debian" && $4 == "main" && $3 !~ /-/ {
            print "deb-src " options $2, $3, $4 }'
}

# Leaves the original tarball of package $1 in the folder $2.
source_fetch()
{
    local apt=$2/apt options
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    sources_list >"$apt/sources.list"
    [ -s "$apt/sources.list" ] || return 1
    options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
    apt-get "${options[@]}" update && (cd "$2" && apt-get "${options[@]}" source --tar-only "$1")
}

debian_source()
{
    local name=$1 folder=$2 parent=${2%/*}
    [ -d "$folder" ] && return
    mkdir -p "$parent" || return
    ls "$parent/$name"_*.orig.tar.* >/dev/null 2>&1 ||
        source_fetch "$name" "$parent" >"$parent/$name.log" 2>&1 || return 1
    rm -rf "$folder.new"
    mkdir "$folder.new" &&
        tar -xf "$(ls "$parent/$name"_*.orig.tar.* | head -1)" -C "$folder.new" --strip-components=1 &&
        mv "$folder.new" "$folder"
}
