/**
 * Programs that the tables do not know may start what their words name: `wrapper rm x`, `wrapper 'rm x'`. A rule that asks or denies
 * takes each word of such a program for the beginning of a command that may run.
 */
import { literalWord, valueAt, type ShellWord } from "./shell-words.ts";

/** Programs and builtins that start none of their words. */
const plainPrograms: ReadonlySet<string> = new Set(
  (
    ": [ break cd continue declare dirs echo exit export false getopts kill let local logout mapfile popd printf pushd pwd read " +
    "readarray readonly return set shift shopt test times true type typeset ulimit umask unset wait " +
    "b2sum base32 base64 basename cat chgrp chmod chown cksum comm cp csplit cut date dd df dir dircolors dirname du expand expr " +
    "factor fmt fold groups head hostid hostname id join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nl nproc numfmt od " +
    "paste pathchk pinky pr printenv ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum sha512sum shred shuf sleep " +
    "sum sync tac tail tee touch tr truncate tsort tty uname unexpand uniq unlink uptime users vdir wc who whoami yes " +
    "apropos apt-cache apk arp brew bunzip2 bzip2 cal clear cmp col column curl diff diff3 dig dnf egrep fgrep file flatpak-info free " +
    "getconf getent gpg grep gunzip gzip hexdump host iconv info install jobs jq killall last locale look lsblk lscpu lsof " +
    "lz4 mount netstat nslookup pacman patch pgrep pidof ping pip pip3 pkg pkill port ps pstree rename rev scoop sdiff ss stat strings " +
    "stty sw_vers tldr top tput traceroute tree umount unxz unzip vmstat w wget wget2 whatis whereis which winget xxd xz yq yum zcat zgrep " +
    "zip zless zstd zypper"
  ).split(" "),
);

/** Programs of every system: a rule that allows a runner (`poetry run`) does not cover them. */
const systemPrograms =
  /^(?:rm|rmdir|shred|unlink|cp|mv|ln|dd|tee|install|truncate|touch|mkdir|chmod|chown|chgrp|curl|wget|kill|pkill|killall|git|find|xargs|ssh|scp|rsync|sudo|doas|su)$/;

export function isSystemProgram(words: readonly ShellWord[]): boolean {
  const name = valueAt(words, 0);
  return systemPrograms.test(name.slice(name.lastIndexOf("/") + 1));
}

export const startsNoWord = (name: string): boolean => plainPrograms.has(name);

/** A word that is shell text, code or `NAME=VALUE` has several. */
const separators = /[\s"'`;|&()<>{}$,=\\#@]+/;

/**
 * The words behind the program's name, and the parts of those that are texts.
 *
 * @example
 * ```ts
 * startedWords(["wrapper", "-c", "rm x"].map((word) => literalWord(word)))?.length; // 4: -c, "rm x", rm, x
 * ```
 */
export function startedWords(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.slice(1).flatMap((word) => {
    if (word.value === undefined || !separators.test(word.value)) return [word];
    const parts = word.value.split(separators).filter((part) => part !== "");
    return [word, ...parts.map((part) => literalWord(part))];
  });
}
