# /etc/profile starts PATH anew: give login shells what every other process has. Values already set are kept, except
# PATH and the Python environment, which belong together.
while IFS='=' read -r _name _value; do
  case $_name in
    PATH | VIRTUAL_ENV) export "$_name=$_value" ;;
    '' | \#*) ;;
    *) eval "[ -n \"\${$_name+set}\" ]" || export "$_name=$_value" ;;
  esac
done < /etc/environment
unset _name _value
