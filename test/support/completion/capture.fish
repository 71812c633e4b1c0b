# Prints what fish would offer at the end of each line of the file $2: a line for a candidate, a blank one after each.
source $argv[1]
while read --local line
    complete -C $line | string replace -r '\t.*' ''
    echo
end <$argv[2]
